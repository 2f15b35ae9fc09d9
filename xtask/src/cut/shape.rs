//! Owns what a function's body looks like: its instructions, the frames around them, where its statements begin, and which
//! locals are needed where. Refuses to change it.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use wasmparser::{
    BlockType, FuncToValidate, FuncValidatorAllocations, FunctionBody, Operator, Parser, ValType,
    ValidPayload, Validator, ValidatorResources, WasmFeatures,
};

use super::module::Module;

/// A block, a loop, one arm of an `if`, or the body as a whole, which is the first.
#[derive(Debug)]
pub struct Frame {
    /// The frame around it.
    pub parent: usize,
    /// Where a branch to it goes on.
    pub target: usize,
    /// How many values such a branch carries.
    pub carried: usize,
}

/// A place between two statements: nothing of the frame is on the stack.
#[derive(Debug, Clone, Copy)]
pub struct Boundary {
    /// The innermost frame.
    pub frame: usize,
    /// Whether control can come here from before.
    pub reachable: bool,
}

/// Everything about one body.
#[derive(Debug)]
pub struct Shape<'a> {
    /// The instructions.
    pub operators: Vec<Operator<'a>>,
    /// Where each begins in the file, and where the last one ends.
    pub offsets: Vec<u64>,
    /// The types of the locals, parameters first.
    pub locals: Vec<ValType>,
    /// What the function returns.
    pub results: Vec<ValType>,
    /// By the instruction behind.
    pub boundaries: Vec<Option<Boundary>>,
    /// The frames.
    pub frames: Vec<Frame>,
    /// The innermost frame of each instruction; of one that opens a frame, the one around.
    inside: Vec<usize>,
    /// Where an `if` goes on that does not hold.
    otherwise: Vec<usize>,
}

/// Gives the shape of each of the functions in the file that `wanted` names by their places.
pub fn shapes<'a>(
    module: &Module<'a>,
    wanted: &BTreeSet<usize>,
    mut each: impl FnMut(usize, Shape<'a>) -> Result<()>,
) -> Result<()> {
    let mut validator = Validator::new_with_features(WasmFeatures::all());
    let mut place = 0;
    for payload in Parser::new(0).parse_all(module.bytes) {
        if let ValidPayload::Func(function, body) = validator.payload(&payload?)? {
            if wanted.contains(&place) {
                let ty = module.functions.get(place).and_then(|ty| module.types.get(*ty as usize));
                let results = ty.context("a function has no type")?.results().to_vec();
                each(place, Shape::of(function, &body, results)?)?;
            }
            place += 1;
        }
    }
    Ok(())
}

impl<'a> Shape<'a> {
    fn of(
        function: FuncToValidate<ValidatorResources>,
        body: &FunctionBody<'a>,
        results: Vec<ValType>,
    ) -> Result<Self> {
        let mut validator = function.into_validator(FuncValidatorAllocations::default());
        let mut reader = body.get_binary_reader();
        validator.read_locals(&mut reader)?;
        let locals =
            (0..validator.len_locals()).filter_map(|local| validator.get_local_type(local)).collect();
        let frames = vec![Frame { parent: 0, target: 0, carried: results.len() }];
        let mut shape = Self {
            operators: Vec::new(),
            offsets: Vec::new(),
            locals,
            results,
            boundaries: Vec::new(),
            frames,
            inside: Vec::new(),
            otherwise: Vec::new(),
        };
        let mut open = vec![(0, None, None)];
        for item in body.get_operators_reader()?.into_iter_with_offsets() {
            let (operator, offset) = item?;
            let &(frame, ..) = open.last().context("it goes on behind its end")?;
            let height = validator.operand_stack_height() as usize;
            let control = validator.get_control_frame(0).context("no frame")?;
            shape.boundaries.push(
                (height == control.height).then_some(Boundary { frame, reachable: !control.unreachable }),
            );
            validator.op(offset, &operator)?;
            shape.take(operator, offset, &mut open, &validator)?;
        }
        shape.offsets.push(body.range().end);
        shape.boundaries.push(None);
        Ok(shape)
    }

    /// `open` has the frames: the number, the `if` that opened it, the frame of the other arm.
    fn take(
        &mut self,
        operator: Operator<'a>,
        offset: u64,
        open: &mut Vec<(usize, Option<usize>, Option<usize>)>,
        validator: &wasmparser::FuncValidator<ValidatorResources>,
    ) -> Result<()> {
        let at = self.operators.len();
        let &(frame, ..) = open.last().context("no frame")?;
        self.inside.push(frame);
        self.otherwise.push(0);
        let mut add = |parent, blockty: BlockType, is_loop: bool| {
            let carried = match (is_loop, blockty) {
                (true, BlockType::Empty | BlockType::Type(_)) | (false, BlockType::Empty) => 0,
                (false, BlockType::Type(_)) => 1,
                // Of several values: none of ours, and refused as one that carries some.
                (_, BlockType::FuncType(_)) => 2,
            };
            self.frames.push(Frame { parent, target: at + 1, carried });
            self.frames.len() - 1
        };
        let block = |operator: &Operator<'_>| match operator {
            Operator::Block { blockty } | Operator::Loop { blockty } | Operator::If { blockty } => {
                Some(*blockty)
            }
            _ => None,
        };
        match &operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => {
                let is_loop = matches!(operator, Operator::Loop { .. });
                let blockty = block(&operator).context("no block")?;
                let new = add(frame, blockty, is_loop);
                open.push((new, matches!(operator, Operator::If { .. }).then_some(at), None));
            }
            Operator::Else => {
                let (first, opened, _) = open.pop().context("no frame")?;
                let opened = opened.context("an else of no if")?;
                let blockty = validator.get_control_frame(0).context("no frame")?.block_type;
                let parent = self.frames.get(first).map_or(0, |frame| frame.parent);
                *self.otherwise.get_mut(opened).context("no if")? = at + 1;
                self.frames.push(Frame {
                    parent,
                    target: 0,
                    carried: usize::from(!matches!(blockty, BlockType::Empty)),
                });
                open.push((self.frames.len() - 1, None, Some(first)));
            }
            Operator::End => {
                let (frame, opened, other) = open.pop().context("no frame")?;
                if let Some(opened) = opened {
                    *self.otherwise.get_mut(opened).context("no if")? = at + 1;
                }
                let mut ends = vec![frame];
                ends.extend(other);
                for frame in ends {
                    let is_loop =
                        self.opener(frame).is_some_and(|operator| matches!(operator, Operator::Loop { .. }));
                    if let Some(frame) = self.frames.get_mut(frame)
                        && !is_loop
                    {
                        frame.target = at + 1;
                    }
                }
            }
            Operator::Try { .. } | Operator::TryTable { .. } | Operator::ReturnCall { .. } => {
                bail!("a new instruction")
            }
            _ => {}
        }
        self.operators.push(operator);
        self.offsets.push(offset);
        Ok(())
    }

    fn opener(&self, frame: usize) -> Option<&Operator<'a>> {
        let begin = self.frames.get(frame).filter(|_| frame > 0)?.target;
        begin.checked_sub(1).and_then(|at| self.operators.get(at))
    }

    /// The frame that a branch at an instruction goes to.
    pub fn label(&self, at: usize, depth: u32) -> usize {
        let mut frame = self.inside.get(at).copied().unwrap_or(0);
        for _ in 0..depth {
            frame = self.frames.get(frame).map_or(0, |frame| frame.parent);
        }
        frame
    }

    fn after(&self, at: usize) -> Vec<usize> {
        let target = |depth: u32| self.frames.get(self.label(at, depth)).map_or(0, |frame| frame.target);
        match self.operators.get(at) {
            Some(Operator::Br { relative_depth }) => vec![target(*relative_depth)],
            Some(Operator::BrIf { relative_depth }) => vec![target(*relative_depth), at + 1],
            Some(Operator::BrTable { targets }) => {
                let others = targets.targets().filter_map(Result::ok).map(target);
                std::iter::once(target(targets.default())).chain(others).collect()
            }
            Some(Operator::If { .. }) => vec![at + 1, self.otherwise.get(at).copied().unwrap_or(0)],
            Some(Operator::Else) => vec![self.frames.get(self.label(at, 0)).map_or(0, |frame| frame.target)],
            Some(Operator::Return | Operator::Unreachable) | None => Vec::new(),
            _ => vec![at + 1],
        }
    }

    /// Which locals are read later, by instruction, before it runs: a bit each.
    pub fn live(&self) -> Vec<Vec<u64>> {
        let words = self.locals.len().div_ceil(64);
        let mut live = vec![vec![0_u64; words]; self.operators.len() + 1];
        loop {
            let mut changed = false;
            for (at, operator) in self.operators.iter().enumerate().rev() {
                let mut now = vec![0_u64; words];
                for next in self.after(at) {
                    for (word, more) in now.iter_mut().zip(live.get(next).into_iter().flatten()) {
                        *word |= more;
                    }
                }
                let bit = |local: u32| ((local / 64) as usize, 1_u64 << (local % 64));
                match operator {
                    Operator::LocalSet { local_index } | Operator::LocalTee { local_index } => {
                        let (word, bit) = bit(*local_index);
                        if let Some(word) = now.get_mut(word) {
                            *word &= !bit;
                        }
                    }
                    Operator::LocalGet { local_index } => {
                        let (word, bit) = bit(*local_index);
                        if let Some(word) = now.get_mut(word) {
                            *word |= bit;
                        }
                    }
                    _ => {}
                }
                if let Some(slot) = live.get_mut(at)
                    && *slot != now
                {
                    *slot = now;
                    changed = true;
                }
            }
            if !changed {
                return live;
            }
        }
    }
}

/// Whether a local is among those.
pub fn is_live(live: &[u64], local: u32) -> bool {
    live.get((local / 64) as usize).is_some_and(|word| word & (1 << (local % 64)) != 0)
}
