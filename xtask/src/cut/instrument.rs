//! Owns a module that notes which of its functions were called, for `cargo xtask profile`. Refuses to be fast.

use anyhow::{Result, anyhow};
use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{
    CodeSection, ExportKind, ExportSection, Function, Instruction, MemArg, MemorySection, MemoryType,
};

use super::module::Module;
use super::spans::{self, ends_span};

/// The export with the notes: a memory of its own, a byte for each function in the file.
pub const NOTES: &str = "notes";

const PAGE: u64 = 65_536;

/// The module with notes.
pub fn instrumented(module: &Module<'_>) -> Result<Vec<u8>> {
    let mut spans = 0;
    for body in &module.bodies {
        spans += spans::count(body)? as u64;
    }
    let mut noting = Noting { memory: module.memories.len() as u32, spans, next: 0 };
    let mut out = wasm_encoder::Module::new();
    let parser = wasmparser::Parser::new(0);
    noting.parse_core_module(&mut out, parser, module.bytes).map_err(|error| anyhow!("{error}"))?;
    Ok(out.finish())
}

struct Noting {
    memory: u32,
    spans: u64,
    next: u64,
}

type Done = Result<(), Error<std::convert::Infallible>>;

impl Noting {
    fn note(&mut self, function: &mut Function) {
        let note = MemArg { offset: self.next, align: 0, memory_index: self.memory };
        for instruction in [Instruction::I32Const(0), Instruction::I32Const(1), Instruction::I32Store8(note)]
        {
            function.instruction(&instruction);
        }
        self.next += 1;
    }
}

impl Reencode for Noting {
    type Error = std::convert::Infallible;

    fn parse_memory_section(
        &mut self,
        memories: &mut MemorySection,
        section: wasmparser::MemorySectionReader<'_>,
    ) -> Done {
        wasm_encoder::reencode::utils::parse_memory_section(self, memories, section)?;
        let minimum = self.spans.div_ceil(PAGE);
        let maximum = Some(minimum);
        memories.memory(MemoryType {
            minimum,
            maximum,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: wasmparser::ExportSectionReader<'_>,
    ) -> Done {
        wasm_encoder::reencode::utils::parse_export_section(self, exports, section)?;
        exports.export(NOTES, ExportKind::Memory, self.memory);
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: wasmparser::CodeSectionReader<'_>,
    ) -> Done {
        for body in section {
            let body = body?;
            let mut function = self.new_function_with_parsed_locals(&body)?;
            self.note(&mut function);
            let mut reader = body.get_operators_reader()?;
            while !reader.eof() {
                let operator = reader.read()?;
                let ends = ends_span(&operator);
                function.instruction(&self.instruction(operator)?);
                if ends && !reader.eof() {
                    self.note(&mut function);
                }
            }
            code.function(&function);
        }
        Ok(())
    }
}
