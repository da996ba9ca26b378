"""The template: where it comes from, its versions, and rendering it with Copier.

May import base. Open it when a template is found, fetched, recorded or rendered wrongly, or when
`update` reports the wrong changelog or numbers.
"""
