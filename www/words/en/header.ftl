### The header: its buttons and what it says about the session.

menu = Menu
views = Views
search = Search
lens = What the model sees
panel = Panel
log = Event log
travel = Time travel
