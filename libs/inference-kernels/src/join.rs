//! Joins nodes where one kernel can do the work of several: a convolution takes in the normalisation, the bias, the sum and the activation
//! that follow it, so that its pixels are written once.

use std::collections::HashMap;

use crate::{
    graph::{Constant, Convolution, Each, Graph, Node, Operation, Pairs},
    kernels::Activation,
};

/// Joins what can be joined.
pub(crate) fn join(graph: &mut Graph) {
    let mut uses: HashMap<String, usize> = HashMap::new();
    for name in graph.nodes.iter().flat_map(|node| &node.inputs).chain(&graph.outputs) {
        *uses.entry(name.clone()).or_default() += 1;
    }
    let mut joining = Joining { done: Vec::new(), makers: HashMap::new(), uses, constants: &graph.constants };
    for node in graph.nodes.drain(..) {
        let node = joining.joined(node);
        joining.push(node);
    }
    graph.nodes = joining.done.into_iter().flatten().collect();
}

struct Joining<'a> {
    /// Nodes that later ones took in are gone.
    done: Vec<Option<Node>>,
    /// Which node makes a value.
    makers: HashMap<String, usize>,
    uses: HashMap<String, usize>,
    constants: &'a HashMap<String, Constant>,
}

impl Joining<'_> {
    fn push(&mut self, node: Node) {
        for output in &node.outputs {
            self.makers.insert(output.clone(), self.done.len());
        }
        self.done.push(Some(node));
    }

    /// The node itself, or the convolution before it that does its work too, at the node's place.
    fn joined(&mut self, node: Node) -> Node {
        match &node.operation {
            Operation::Normalise { factors, summands } => {
                let scale = |convolution: &mut Convolution| convolution.scale(factors, summands);
                self.taken(&node.inputs[0], 1, Convolution::is_open, scale)
            }
            Operation::Each(Each::Activate(activation)) => {
                let finish = |convolution: &mut Convolution| convolution.activation = *activation;
                self.taken(&node.inputs[0], 1, |it| it.activation == Activation::None, finish)
            }
            Operation::Pairs(Pairs::Add) => self.sum(&node),
            Operation::Pairs(Pairs::Multiply) => self.hard_swish(&node),
            _ => None,
        }
        .map(|joined| Node { outputs: node.outputs.clone(), ..joined })
        .unwrap_or(node)
    }

    /// Takes out the convolution that makes `value`, changed, if nobody else needs it and `fits` says so.
    fn taken(
        &mut self,
        value: &str,
        uses: usize,
        fits: impl Fn(&Convolution) -> bool,
        change: impl FnOnce(&mut Convolution),
    ) -> Option<Node> {
        let maker = &mut self.done[*self.makers.get(value)?];
        if self.uses.get(value) != Some(&uses) {
            return None;
        }
        match &maker.as_ref()?.operation {
            Operation::Convolve(convolution) if fits(convolution) => {}
            _ => return None,
        }
        let mut node = maker.take()?;
        if let Operation::Convolve(convolution) = &mut node.operation {
            change(convolution);
        }
        Some(node)
    }

    fn sum(&mut self, node: &Node) -> Option<Node> {
        let [first, second] = node.inputs.as_slice() else { return None };
        let constant = |name: &String| self.constants.get(name);
        if let Some((value, bias)) =
            constant(second).map(|bias| (first, bias)).or(constant(first).map(|bias| (second, bias)))
        {
            let [channels, 1, 1] = bias
                .shape
                .iter()
                .copied()
                .skip_while(|side| *side == 1 && bias.shape.len() > 3)
                .collect::<Vec<_>>()[..]
            else {
                return None;
            };
            let fits = |it: &Convolution| it.is_open() && it.channels[0] == channels;
            let add =
                |it: &mut Convolution| it.bias.iter_mut().zip(bias.values.iter()).for_each(|(to, from)| *to += from);
            return self.taken(value, 1, fits, add);
        }
        // The later of the two takes in the earlier one, which is there by then.
        let place = |name: &String| self.makers.get(name).copied();
        let (later, earlier) = if place(second) > place(first) { (second, first) } else { (first, second) };
        let mut joined = self.taken(later, 1, Convolution::is_open, |it| it.adds = true)?;
        joined.inputs.push(earlier.clone());
        Some(joined)
    }

    /// `x · hard_sigmoid(x)`.
    fn hard_swish(&mut self, node: &Node) -> Option<Node> {
        let [first, second] = node.inputs.as_slice() else { return None };
        self.swished(first, second).or_else(|| self.swished(second, first))
    }

    fn swished(&mut self, value: &str, factor: &str) -> Option<Node> {
        let sigmoid = *self.makers.get(factor)?;
        let node = self.done[sigmoid].as_ref()?;
        let Operation::Each(Each::HardSigmoid { alpha, beta }) = node.operation else { return None };
        if node.inputs[0] != value || self.uses.get(factor) != Some(&1) {
            return None;
        }
        let activation = Activation::HardSwish { alpha, beta };
        let open = |it: &Convolution| it.activation == Activation::None;
        let joined = self.taken(value, 2, open, |it| it.activation = activation)?;
        self.done[sigmoid] = None;
        Some(joined)
    }
}

impl Convolution {
    /// Whether nothing follows its bias yet.
    fn is_open(&self) -> bool {
        self.activation == Activation::None && !self.adds
    }

    fn scale(&mut self, factors: &[f32], summands: &[f32]) {
        self.factors.iter_mut().zip(factors).for_each(|(own, factor)| *own *= factor);
        for ((bias, factor), summand) in self.bias.iter_mut().zip(factors).zip(summands) {
            *bias = *bias * factor + summand;
        }
    }
}
