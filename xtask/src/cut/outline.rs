//! Owns taking parts out of functions: each becomes a function of its own, behind all others, and a call of it. Refuses
//! to choose them.
//!
//! Such a function takes the locals that its part reads, and returns those that are read later; where the part can go
//! to several places it also returns which.

use std::collections::BTreeMap;
use std::convert::Infallible;

use anyhow::{Context, Result, anyhow};
use wasm_encoder::reencode::{Error, Reencode, RoundtripReencoder, utils};
use wasm_encoder::{BlockType, CodeSection, Function, FunctionSection, Instruction, TypeSection, ValType};
use wasmparser::{FuncType, Operator, Validator, WasmFeatures};

use super::module::Module;
use super::regions::{Exit, Region};
use super::shape::{Shape, shapes};

/// Takes the parts of these functions out; the new functions come in the order of the places and parts.
pub fn outlined(module: &Module<'_>, regions: &BTreeMap<usize, Vec<Region>>) -> Result<Vec<u8>> {
    let wanted = regions.keys().copied().collect();
    let first = module.imported() + module.bodies.len() as u32;
    let mut outliner = Outliner {
        bodies: BTreeMap::new(),
        parts: Vec::new(),
        types: module.types.clone(),
        fresh: module.types.len(),
        of: module.functions.clone(),
    };
    shapes(module, &wanted, |place, shape| {
        let none = Vec::new();
        outliner.function(place, &shape, regions.get(&place).unwrap_or(&none), first)
    })?;
    let mut out = wasm_encoder::Module::new();
    let parser = wasmparser::Parser::new(0);
    outliner.parse_core_module(&mut out, parser, module.bytes).map_err(|error| anyhow!("{error}"))?;
    let bytes = out.finish();
    Validator::new_with_features(WasmFeatures::all())
        .validate_all(&bytes)
        .context("a part was taken out wrongly")?;
    Ok(bytes)
}

struct Outliner {
    /// What is left of the functions, by their places.
    bodies: BTreeMap<usize, Function>,
    /// The new functions and their types.
    parts: Vec<(u32, Function)>,
    types: Vec<FuncType>,
    /// How many types there were.
    fresh: usize,
    /// The types of the functions, by their places.
    of: Vec<u32>,
}

impl Outliner {
    fn function(&mut self, place: usize, shape: &Shape<'_>, regions: &[Region], first: u32) -> Result<()> {
        let parameters = self.parameters(place)?;
        let mut locals: Vec<ValType> = Vec::new();
        for ty in shape.locals.iter().skip(parameters) {
            locals.push(encoded(*ty)?);
        }
        let code = shape.locals.len() as u32;
        let value = code + 1;
        locals.push(ValType::I32);
        locals.push(shape.results.first().map_or(Ok(ValType::I32), |ty| encoded(*ty))?);
        let mut left = Function::new_with_locals_types(locals);
        let mut at = 0;
        for region in regions {
            copy(shape, at..region.from, &mut left)?;
            let number = first + self.parts.len() as u32;
            self.part(shape, region)?;
            call(region, number, shape, (code, value), &mut left);
            at = region.to;
        }
        copy(shape, at..shape.operators.len(), &mut left)?;
        self.bodies.insert(place, left);
        Ok(())
    }

    fn parameters(&self, place: usize) -> Result<usize> {
        let ty = self.of.get(place).and_then(|ty| self.types.get(*ty as usize));
        Ok(ty.context("a function has no type")?.params().len())
    }

    /// Makes the function of a part.
    fn part(&mut self, shape: &Shape<'_>, region: &Region) -> Result<()> {
        let ty = |local: &u32| shape.locals.get(*local as usize).copied().context("no such local");
        let takes: Vec<_> = region.takes.iter().map(ty).collect::<Result<_>>()?;
        let mut gives: Vec<_> = region.gives.iter().map(ty).collect::<Result<_>>()?;
        let carried = carried(shape, region);
        gives.extend(carried.then(|| shape.results.first().copied()).flatten());
        if told(region) {
            gives.push(wasmparser::ValType::I32);
        }
        let others: Vec<u32> =
            region.locals.iter().copied().filter(|local| !region.takes.contains(local)).collect();
        let mut locals = Vec::new();
        for other in &others {
            locals.push(encoded(ty(other)?)?);
        }
        locals.push(shape.results.first().map_or(Ok(ValType::I32), |ty| encoded(*ty))?);
        let numbers: BTreeMap<u32, u32> = region.takes.iter().chain(&others).copied().zip(0..).collect();
        let value = numbers.len() as u32;
        let mut part = Function::new_with_locals_types(locals);
        for _ in &region.exits {
            part.instruction(&Instruction::Block(BlockType::Empty));
        }
        inside(shape, region, &numbers, value, &mut part)?;
        let leave = |part: &mut Function, exit: Option<usize>| {
            for local in &region.gives {
                part.instruction(&Instruction::LocalGet(numbers.get(local).copied().unwrap_or(u32::MAX)));
            }
            if carried {
                part.instruction(&Instruction::LocalGet(value));
            }
            if told(region) {
                // Going on is the last one.
                part.instruction(&Instruction::I32Const(
                    (exit.unwrap_or(region.exits.len()) as u32).cast_signed(),
                ));
            }
            part.instruction(&Instruction::Return);
        };
        if region.falls {
            leave(&mut part, None);
        } else {
            part.instruction(&Instruction::Unreachable);
        }
        for exit in 0..region.exits.len() {
            part.instruction(&Instruction::End);
            leave(&mut part, Some(exit));
        }
        part.instruction(&Instruction::End);
        let ty = self.ty(FuncType::new(takes, gives));
        self.parts.push((ty, part));
        Ok(())
    }

    fn ty(&mut self, ty: FuncType) -> u32 {
        let known = self.types.iter().position(|other| *other == ty);
        known.unwrap_or_else(|| {
            self.types.push(ty);
            self.types.len() - 1
        }) as u32
    }
}

/// Copies a part's instructions; where they leave it they go to the block of that exit.
fn inside(
    shape: &Shape<'_>,
    region: &Region,
    numbers: &BTreeMap<u32, u32>,
    value: u32,
    part: &mut Function,
) -> Result<()> {
    let mut depth = 0;
    let local = |local: u32| numbers.get(&local).copied().context("a local that is not known");
    let block = |exit: Exit| {
        let number =
            region.exits.iter().position(|other| *other == exit).context("an exit that is not known")?;
        anyhow::Ok(number as u32)
    };
    for operator in shape.operators.get(region.from..region.to).into_iter().flatten() {
        let branch = |to: u32| match to.checked_sub(depth) {
            Some(out) => Ok(depth + block(Exit::Branch(out))?),
            None => Ok(to),
        };
        let instruction = match operator {
            Operator::LocalGet { local_index } => Instruction::LocalGet(local(*local_index)?),
            Operator::LocalSet { local_index } => Instruction::LocalSet(local(*local_index)?),
            Operator::LocalTee { local_index } => Instruction::LocalTee(local(*local_index)?),
            Operator::Br { relative_depth } => Instruction::Br(branch(*relative_depth)?),
            Operator::BrIf { relative_depth } => Instruction::BrIf(branch(*relative_depth)?),
            Operator::BrTable { targets } => {
                let others = targets.targets().map(|to| branch(to?)).collect::<Result<Vec<u32>>>()?;
                Instruction::BrTable(others.into(), branch(targets.default())?)
            }
            Operator::Return => {
                if !shape.results.is_empty() {
                    part.instruction(&Instruction::LocalSet(value));
                }
                Instruction::Br(depth + block(Exit::Return)?)
            }
            other => {
                match other {
                    Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => depth += 1,
                    Operator::End => depth -= 1,
                    _ => {}
                }
                RoundtripReencoder.instruction(other.clone()).map_err(|error| anyhow!("{error}"))?
            }
        };
        part.instruction(&instruction);
    }
    Ok(())
}

/// Whether the part's function says where it goes.
fn told(region: &Region) -> bool {
    region.exits.len() + usize::from(region.falls) > 1
}

/// Whether it returns what the function around it is to return.
fn carried(shape: &Shape<'_>, region: &Region) -> bool {
    !shape.results.is_empty() && region.exits.contains(&Exit::Return)
}

/// What stands in the place of a part.
fn call(region: &Region, number: u32, shape: &Shape<'_>, (code, value): (u32, u32), left: &mut Function) {
    for local in &region.takes {
        left.instruction(&Instruction::LocalGet(*local));
    }
    left.instruction(&Instruction::Call(number));
    if told(region) {
        left.instruction(&Instruction::LocalSet(code));
    }
    if carried(shape, region) {
        left.instruction(&Instruction::LocalSet(value));
    }
    for local in region.gives.iter().rev() {
        left.instruction(&Instruction::LocalSet(*local));
    }
    for (number, exit) in region.exits.iter().enumerate() {
        let last = number + 1 == region.exits.len() && !region.falls;
        if !last {
            left.instruction(&Instruction::LocalGet(code));
            left.instruction(&Instruction::I32Const((number as u32).cast_signed()));
            left.instruction(&Instruction::I32Eq);
        }
        match exit {
            Exit::Branch(out) if last => _ = left.instruction(&Instruction::Br(*out)),
            Exit::Branch(out) => _ = left.instruction(&Instruction::BrIf(*out)),
            Exit::Return => {
                if !last {
                    left.instruction(&Instruction::If(BlockType::Empty));
                }
                if !shape.results.is_empty() {
                    left.instruction(&Instruction::LocalGet(value));
                }
                left.instruction(&Instruction::Return);
                if !last {
                    left.instruction(&Instruction::End);
                }
            }
        }
    }
    if region.exits.is_empty() && !region.falls {
        left.instruction(&Instruction::Unreachable);
    }
}

fn copy(shape: &Shape<'_>, range: std::ops::Range<usize>, to: &mut Function) -> Result<()> {
    for operator in shape.operators.get(range).into_iter().flatten() {
        let instruction =
            RoundtripReencoder.instruction(operator.clone()).map_err(|error| anyhow!("{error}"))?;
        to.instruction(&instruction);
    }
    Ok(())
}

fn encoded(ty: wasmparser::ValType) -> Result<ValType> {
    RoundtripReencoder.val_type(ty).map_err(|error| anyhow!("{error}"))
}

type Done = Result<(), Error<Infallible>>;

impl Reencode for Outliner {
    type Error = Infallible;

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: wasmparser::TypeSectionReader<'_>,
    ) -> Done {
        utils::parse_type_section(self, types, section)?;
        for ty in self.types.clone().into_iter().skip(self.fresh) {
            let ty = self.func_type(ty)?;
            types.ty().func_type(&ty);
        }
        Ok(())
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: wasmparser::FunctionSectionReader<'_>,
    ) -> Done {
        utils::parse_function_section(self, functions, section)?;
        for (ty, _) in &self.parts {
            functions.function(*ty);
        }
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: wasmparser::CodeSectionReader<'_>,
    ) -> Done {
        for (place, body) in section.into_iter().enumerate() {
            match self.bodies.get(&place) {
                Some(left) => _ = code.function(left),
                None => self.parse_function_body(code, body?)?,
            }
        }
        for (_, part) in &self.parts {
            code.function(part);
        }
        Ok(())
    }
}
