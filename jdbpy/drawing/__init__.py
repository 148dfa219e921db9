"""Self-contained pictures of measurements (flame graphs, bar charts, histograms), and the formats of other tools.

* ``stacks``: folded stacks with weights; their methods and call tree
* ``units``: formats a weight: samples, times, bytes
* ``page``: the colors of pictures, for light and dark themes; escaping for XML
* ``flame``: flame graphs as SVG, with search and zoom, of one profile or of the difference between two
* ``flame_script``: the script in them that handles clicks and typing
* ``charts``: bar charts and histograms as SVG; sparklines for terminals
* ``html``: a page with a flame graph and a table
* ``exports``: collapsed stacks, speedscope, pprof
"""
