### Dangers of a command, a path or an address. $what is the dangerous part, with backticks around it.

fetch-and-run = Runs what it fetches from the network, and nobody has seen it: { $what }
decode-and-run = Decodes something and runs it, so that what runs can't be read here: { $what }
pipe-to-shell = Runs what another command prints: { $what }
elevated = Runs with more rights than yours: { $what }
deletes-outside = Deletes outside of the project: { $what }
deletes-all = Deletes the whole project or its history: { $what }
deletes-unknown = What it deletes is known only when it runs: { $what }
deletes-data = Deletes data that a service keeps: { $what }
deletes-by-name = By its name it deletes something for good: { $what }
stops-all = Stops this machine or all programs on it: { $what }
disk = Writes over a whole disk: { $what }
runs-later = Changes something that runs by itself later: { $what }
outside-settings = Changes settings of your account or of the system: { $what }
writes-outside = Writes outside of the project: { $what }
outside = Outside of the project: { $what }
secrets = May hold passwords or keys: { $what }
force-push = Overwrites or deletes on the server what others may have: { $what }
discards = Throws away work that is not kept elsewhere: { $what }
eval = Runs text as code: { $what }
network-shell = Connects a shell to the network: { $what }
listens = Can be reached from the network while it runs: { $what }
sends-files = Sends files to another machine: { $what }
open-to-all = Gives everybody on this machine rights to it: { $what }
installs = Installs or runs packages, whose own scripts may run here: { $what }
leads-elsewhere = The path leads somewhere else: { $what }
new-in-file = New in the file: { $what }
this-file = this file
unread = A part can't be read here, so what it does is not known: { $what }

## What a command does, where all of it is known: parts of one sentence, of which the first has the capital letter.

does-look = { $place ->
    [first] Looks at files or history
   *[then] then looks at files or history
}
does-test = { $place ->
    [first] Runs the tests
   *[then] then runs the tests
}
does-check = { $place ->
    [first] Checks the code
   *[then] then checks the code
}
does-build = { $place ->
    [first] Builds the project
   *[then] then builds the project
}
does-format = { $place ->
    [first] Formats the code
   *[then] then formats the code
}
does-install = { $place ->
    [first] Installs packages, whose scripts may run
   *[then] then installs packages, whose scripts may run
}
does-run = { $place ->
    [first] Runs { $what } of this project
   *[then] then runs { $what } of this project
}
does-create = { $place ->
    [first] Creates files or folders
   *[then] then creates files or folders
}
does-copy = { $place ->
    [first] Copies files
   *[then] then copies files
}
does-move = { $place ->
    [first] Moves files
   *[then] then moves files
}
does-write = { $place ->
    [first] Writes { $what }
   *[then] then writes { $what }
}
does-delete = { $place ->
    [first] Deletes { $what }
   *[then] then deletes { $what }
}
does-commit = { $place ->
    [first] Commits
   *[then] then commits
}
does-push = { $place ->
    [first] Pushes to a server
   *[then] then pushes to a server
}
does-fetch = { $place ->
    [first] Fetches from a server
   *[then] then fetches from a server
}
does-look-at-machine = { $place ->
    [first] Looks at what runs on this machine
   *[then] then looks at what runs on this machine
}
does-version = { $place ->
    [first] Shows versions
   *[then] then shows versions
}
does-fix = { $place ->
    [first] Checks the code and corrects it
   *[then] then checks the code and corrects it
}
does-install-only = { $place ->
    [first] Installs packages without running their scripts
   *[then] then installs packages without running their scripts
}
does-run-package = { $place ->
    [first] Runs { $what } and first installs what is missing for it
   *[then] then runs { $what } and first installs what is missing for it
}
does-list-packages = { $place ->
    [first] Lists packages
   *[then] then lists packages
}
does-make-executable = { $place ->
    [first] Makes { $what } executable
   *[then] then makes { $what } executable
}
does-stage = { $place ->
    [first] Stages changes for the next commit
   *[then] then stages changes for the next commit
}
does-amend = { $place ->
    [first] Changes the last commit
   *[then] then changes the last commit
}
does-branch = { $place ->
    [first] Creates a branch or switches to one
   *[then] then creates a branch or switches to one
}
does-pull = { $place ->
    [first] Fetches from a server and updates the branch
   *[then] then fetches from a server and updates the branch
}
does-read-github = { $place ->
    [first] Reads from GitHub
   *[then] then reads from GitHub
}
does-pull-request = { $place ->
    [first] Opens a pull request on GitHub
   *[then] then opens a pull request on GitHub
}
does-ask-local = { $place ->
    [first] Asks a server on this machine
   *[then] then asks a server on this machine
}
does-look-at-containers = { $place ->
    [first] Looks at containers or their logs
   *[then] then looks at containers or their logs
}
does-image = { $place ->
    [first] Builds a container image
   *[then] then builds a container image
}
does-start = { $place ->
    [first] Starts the containers of this project
   *[then] then starts the containers of this project
}
does-stop = { $place ->
    [first] Stops the containers of this project
   *[then] then stops the containers of this project
}
does-look-at-cluster = { $place ->
    [first] Reads the state of a cluster
   *[then] then reads the state of a cluster
}
