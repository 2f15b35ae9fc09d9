// The languages in which code can be coloured, and their names in fences. A language is never guessed from
// the code. `cargo xtask build` reads the first word of each line: these are the grammars that it includes.

const NAMES = `
bash sh zsh fish
c h
clojure clj cljs edn
cmake
cpp c++ cc cxx hpp hh h++ cuda
csharp c# cs
css
dart
diff patch
dockerfile docker containerfile
dos bat cmd batch
elixir ex exs
erlang erl
fsharp f# fs
go golang
gradle
graphql gql
groovy jenkinsfile
haskell hs
http
ini toml properties cfg conf dosini editorconfig
java
javascript js jsx mjs cjs node
json jsonc json5 jsonl ndjson geojson
julia jl
kotlin kt kts
latex tex
less
lua
makefile make mk
markdown md mdx
nginx
nix
objectivec objc objective-c obj-c mm
ocaml ml mli
perl pl pm
pgsql postgres postgresql plpgsql
php
powershell ps1 pwsh ps
protobuf proto
python py pyi gyp ipython python3
r rscript
ruby rb gemspec podspec thor irb rake
rust rs
scala sbt
scss sass
shell console shellsession terminal
sql mysql sqlite tsql plsql
swift
typescript ts tsx mts cts
vim viml
wasm wat wast
xml html htm xhtml svg vue svelte plist rss atom xsd xsl
yaml yml
`;

/** Grammars that a grammar needs for embedded code. */
const NEEDS = {
  javascript: ["xml", "css"],
  typescript: ["xml", "css"],
  markdown: ["xml"],
  shell: ["bash"],
  xml: ["javascript", "css"],
};

const grammars = new Map();
for (const line of NAMES.trim().split("\n")) {
  const names = line.split(" ");
  for (const name of names) grammars.set(name, names[0]);
}

/** The grammar for a fence's language, or undefined. */
export const languageOf = (name) => grammars.get(name);

/** The grammar and those for its embedded code. */
export const filesOf = (grammar) => [grammar, ...(NEEDS[grammar] ?? [])];
