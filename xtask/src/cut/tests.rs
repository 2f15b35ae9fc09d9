//! Owns the proof that a program does the same after the cut and in another order, before and after its later file is
//! there: small programs are run by Node, as in a browser. Refuses to look at how the files are made.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;

use super::cold::Cold;
use super::{Known, Module, halves, names, outline, parts, profiled, spans};
use crate::{order, process};

/// A function that always runs, with parts that do many things, and two that are called rarely.
const PROGRAM: &str = r#"(module
  (import "./m" "say" (func $say (param i32)))
  (memory (export "memory") 1)
  (table (export "table") 3 funcref)
  (global $top (mut i32) (i32.const 1000))
  (func $twice (param i32) (result i32) (i32.mul (local.get 0) (i32.const 2)))
  (func $rare (export "rare") (param i32) (result i32)
    (global.set $top (i32.add (global.get $top) (local.get 0)))
    (call $say (global.get $top))
    (i32.store (i32.const 16) (call $twice (global.get $top)))
    (call $seldom (i32.load (i32.const 16))))
  (func $seldom (param i32) (result i32)
    (i32.add (i32.mul (local.get 0) (i32.const 3)) (i32.xor (local.get 0) (i32.const 1234567))))
  (func $usual (export "usual") (param $x i32) (result i32) (local $a i32) (local $b i32) (local $c f64)
    (local.set $a (call $twice (i32.const 5)))
    (block $out
      (block $two
        (block $one
          (if (local.get $x) (then
            (local.set $b (i32.add (local.get $a) (local.get $x)))
            (loop $again
              (local.set $b (i32.add (local.get $b) (i32.const 3)))
              (local.set $c (f64.add (local.get $c) (f64.const 0.5)))
              (br_if $again (i32.lt_u (local.get $b) (i32.const 40))))
            (call $say (local.get $b))
            (if (i32.eq (local.get $x) (i32.const 1)) (then PAD (return (call $rare (local.get $b)))))
            (if (i32.eq (local.get $x) (i32.const 7)) (then PAD (call $say (i32.const 7)) (unreachable)))
            PAD (br_if $two (i32.eq (local.get $x) (i32.const 8))) PAD
            (br_table $one $two $out (i32.rem_u (local.get $x) (i32.const 3)))))
          (br $out))
        (local.set $a (i32.mul (local.get $b) (i32.const 7)))
        (call $say (i32.add (i32.mul (local.get $a) (i32.const 3)) (i32.trunc_f64_s (local.get $c))))
        (local.set $x (i32.add (local.get $x) (i32.const 100000)))
        (local.set $b (i32.shl (local.get $x) (i32.const 3))) PAD
        (br $out))
      PAD (local.set $a (i32.add (local.get $a) (i32.const 100))) PAD)
    (i32.add (i32.add (local.get $a) (local.get $x)) (local.get $b)))
  (elem (i32.const 0) $twice $rare $usual)
  (data (i32.const 64) "data"))"#;

/// A part is worth taking out from some length on.
const PAD: &str = "(call $say (i32.add (local.get $b) (i32.mul (local.get $a) (i32.const 3))))
  (call $say (i32.add (local.get $x) (i32.mul (local.get $b) (i32.const 5))))
  (local.set $b (i32.add (local.get $b) (i32.const 1)))";

/// What both do, for many numbers; the later file comes when it is called for, or before.
const COMPARE: &str = r"
async function start(cut, early) {
  const said = [];
  let loads = 0;
  const m = { './m': { say: (number) => said.push(number) } };
  const load = () => {
    loads += 1;
    const by = (table) => new Proxy({}, { get: (_, slot) => table.get(+slot) });
    const [stayed, placed] = [by(wasm.later), by(wasm.table)];
    new WebAssembly.Instance(new WebAssembly.Module(read('later.wasm')), { ...m, first: wasm, stayed, placed });
  };
  const file = cut ? 'first.wasm' : 'whole.wasm';
  const { instance: { exports: wasm } } = await WebAssembly.instantiate(read(file), { ...m, later: { load } });
  if (early) load();
  for (const call of [wasm.usual, wasm.rare, wasm.table.get(1), wasm.table.get(2)]) {
    for (let number = 0; number < 40; number++) {
      try {
        said.push(call(number));
      } catch (error) {
        said.push(error.constructor.name);
      }
    }
  }
  if (cut && loads !== 1) throw new Error(`loaded ${loads} times`);
  return JSON.stringify(said);
}
const [whole, cut, early] = [await start(false, 0), await start(true, 0), await start(true, 1)];
if (whole !== cut || whole !== early) throw new Error(`${whole}\n${cut}\n${early}`);
console.log(whole.length);";

#[test]
fn a_program_does_the_same_after_the_cut() {
    if process::on_path("node").is_none() {
        println!("skipped: Node is not on PATH");
        return;
    }
    let folder = std::env::temp_dir().join(format!("pilothouse-cut-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let node = |script: &str| {
        let read = "import { readFileSync } from 'node:fs'; const read = (name) => readFileSync(`${process.env.FOLDER}/${name}`);";
        let mut node = process::command("node");
        node.args(["--input-type=module", "-e", &format!("{read}{script}")]).env("FOLDER", &folder);
        process::read(&mut node)
    };
    let whole = program(PROGRAM);
    let module = Module::read(&whole).unwrap();
    fs::write(folder.join("whole.wasm"), &whole).unwrap();
    let (spans, usual) = spans_of(&module, "usual");
    let mut layouts = BTreeSet::new();
    // Whatever of it runs beside its beginning: other parts are taken out each time.
    for (one, other) in usual.clone().zip(usual.clone().skip(3).chain(usual.clone())) {
        let ran = (0..spans_of(&module, "twice").1.end).chain([usual.start, one, other]).collect();
        let list = profiled(&module, &ran, &Known::default()).unwrap();
        assert!(list.has("rare") && list.has("seldom") && !list.has("usual"), "{}", list.text());
        let list = Cold::parse(&list.text());
        let (first, later) = halves(&whole, &list, &Known::default()).unwrap();
        fs::write(folder.join("first.wasm"), order::ordered(&first).unwrap()).unwrap();
        fs::write(folder.join("later.wasm"), order::ordered(&later).unwrap()).unwrap();
        node(COMPARE).unwrap();
        layouts.insert(list.text());
    }
    fs::remove_dir_all(&folder).unwrap();
    assert!(spans > usual.end && layouts.len() > 4, "{}", layouts.len());
}

fn program(text: &str) -> Vec<u8> {
    wat::parse_str(text.replace("PAD", &[PAD; 4].concat())).unwrap()
}

/// How many spans there are, and those of one function.
fn spans_of(module: &Module<'_>, name: &str) -> (usize, Range<usize>) {
    let counts: Vec<usize> = module.bodies.iter().map(|body| spans::count(body).unwrap()).collect();
    let place = names::of(module).iter().position(|other| other == name).unwrap();
    let begin = counts.iter().take(place).sum();
    (counts.iter().sum::<usize>() + 1, begin..begin + counts[place])
}

#[test]
fn a_part_is_found_again_in_a_function_that_was_changed_elsewhere() {
    let whole = program(PROGRAM);
    let module = Module::read(&whole).unwrap();
    // Everything in it is cold but its first span.
    let list =
        profiled(&module, &(0..=spans_of(&module, "usual").1.start).collect(), &Known::default()).unwrap();
    let usual = names::of(&module).iter().position(|name| name == "usual").unwrap();
    assert!(list.parts.contains_key("usual"), "{}", list.text());

    let changed = PROGRAM
        .replace("(call $twice (i32.const 5))", "(call $twice (i32.add (local.get $x) (i32.const 6)))");
    let changed = program(&changed);
    let module = Module::read(&changed).unwrap();
    let found = parts(&module, &names::of(&module), &list).unwrap();
    assert_eq!(found.get(&usual).map(Vec::len), list.parts.get("usual").map(BTreeSet::len));
    assert!(outline::outlined(&module, &found).unwrap().len() > changed.len());
}

#[test]
fn nothing_is_taken_out_of_what_runs_by_chance() {
    let list = |name: &str| {
        let program = program(&PROGRAM.replace("$usual", &format!("${name}")));
        let module = Module::read(&program).unwrap();
        let ran = (0..=spans_of(&module, name).1.start).collect();
        profiled(&module, &ran, &Known::default()).unwrap()
    };
    assert!(list("usual").parts.contains_key("usual"));
    for name in ["<talc::base::Talc>::allocate", "<alloc::collections::vec_deque::VecDeque>::grow"] {
        assert!(list(name).parts.is_empty(), "{name}");
    }
}
