//! Owns what a function is called from build to build. Refuses what another compiler would write otherwise: hashes.

use super::module::Module;

/// A longer one is cut here, and told apart by a hash of its text.
const LONGEST: usize = 140;

/// The names of the functions in the file, in their order; what has none is called by what it calls.
pub fn of(module: &Module<'_>) -> Vec<String> {
    let mut names = vec![String::new(); module.bodies.len()];
    for (function, name) in &module.names {
        if let Some(slot) = module.defined(*function).and_then(|place| names.get_mut(place)) {
            *slot = normal(name);
        }
    }
    let imported = |function: &u32| {
        let given = module.names.iter().find(|(known, _)| known == function).map(|(_, name)| *name);
        given.or_else(|| module.imports.get(*function as usize).map(|import| import.name))
    };
    for (name, needs) in names.iter_mut().zip(&module.needs) {
        if name.is_empty() || name.starts_with("<unknown>") {
            let calls = needs.functions.iter().filter(|function| **function < module.imported());
            let calls: Vec<String> = calls.filter_map(imported).map(unhashed).collect();
            *name = format!("shim {}", calls.join(" "));
        }
    }
    names
}

const SHIM: &str = "shim_idx: ";

/// A demangled name without the hashes of crates, and not too long.
fn normal(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        match after.split_once(']') {
            Some((inside, behind)) if is_hash(inside) => rest = behind,
            _ => {
                out.push('[');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    // wasm-bindgen numbers the shims of closures through the program.
    if let Some((before, after)) = out.split_once(SHIM) {
        out = format!("{before}{SHIM}{}", after.trim_start_matches(|digit: char| digit.is_ascii_digit()));
    }
    // LLVM numbers what it copies.
    if let Some((name, number)) = out.rsplit_once('.')
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        out.truncate(name.len());
    }
    shortened(out)
}

fn is_hash(text: &str) -> bool {
    text.len() >= 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The name of an import without what wasm-bindgen puts behind it.
fn unhashed(name: &str) -> String {
    match name.rsplit_once('_') {
        Some((before, hash)) if hash.len() == 16 && is_hash(hash) => before.to_owned(),
        _ => name.to_owned(),
    }
}

fn shortened(name: String) -> String {
    let Some((end, _)) = name.char_indices().nth(LONGEST) else { return name };
    let hash = hash(name.bytes());
    format!("{}…{hash:08x}", &name[..end])
}

/// FNV-1a: the same on every machine and in every version of Rust.
pub fn hash(bytes: impl Iterator<Item = u8>) -> u32 {
    bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_go_and_everything_else_stays() {
        let raw = "<alloc[2b67351e419df791]::vec::Vec<[u8; 4]> as core[15266d276e3a2055]::ops::Drop>::drop";
        assert_eq!(normal(raw), "<alloc::vec::Vec<[u8; 4]> as core::ops::Drop>::drop");
        let closure =
            |number| format!("Closure {{ function: Function {{ shim_idx: {number}, ret: Unit }} }}");
        assert_eq!(normal(&closure(1628)), normal(&closure(7)));
        assert_ne!(normal(&closure(7)), normal(&closure(7).replace("Unit", "U32")));
        assert_eq!(unhashed("__wbg_append_0123456789abcdef"), "__wbg_append");
        assert_eq!(unhashed("__wbindgen_throw"), "__wbindgen_throw");
    }

    #[test]
    fn long_names_stay_apart() {
        let (one, other) =
            (normal(&format!("{}a", "x".repeat(300))), normal(&format!("{}b", "x".repeat(300))));
        assert!(one != other && one.chars().count() < 160);
    }
}
