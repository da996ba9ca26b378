"""`torchgen explore`: what each choice writes, as a page in the browser."""
