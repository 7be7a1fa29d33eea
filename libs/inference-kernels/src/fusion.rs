//! Operator fusion: a convolution absorbs the normalisation, bias, sum and activation that follow it, so that its
//! pixels are written once.

use std::collections::HashMap;

use crate::{
    graph::{Binary, Constant, Convolution, Elementwise, Graph, Node, Operation},
    kernels::Activation,
};

/// Fuses the nodes of a graph.
pub(crate) fn fuse(graph: &mut Graph) {
    let mut uses: HashMap<String, usize> = HashMap::new();
    for name in graph.nodes.iter().flat_map(|node| &node.inputs).chain(&graph.outputs) {
        *uses.entry(name.clone()).or_default() += 1;
    }
    let mut fusing = Fusing { done: Vec::new(), makers: HashMap::new(), uses, constants: &graph.constants };
    for node in graph.nodes.drain(..) {
        let node = fusing.fused(node);
        fusing.push(node);
    }
    graph.nodes = fusing.done.into_iter().flatten().collect();
}

struct Fusing<'a> {
    /// `None` for nodes that a later one has absorbed.
    done: Vec<Option<Node>>,
    /// The node that makes a value.
    makers: HashMap<String, usize>,
    uses: HashMap<String, usize>,
    constants: &'a HashMap<String, Constant>,
}

impl Fusing<'_> {
    fn push(&mut self, node: Node) {
        for output in &node.outputs {
            self.makers.insert(output.clone(), self.done.len());
        }
        self.done.push(Some(node));
    }

    /// The node itself, or the convolution before it with the work of the node added.
    fn fused(&mut self, node: Node) -> Node {
        match &node.operation {
            Operation::Normalise { factors, summands } => {
                let scale = |convolution: &mut Convolution| convolution.scale(factors, summands);
                let fits = |it: &Convolution| it.is_open() && [factors.len(), summands.len()] == [it.channels[0]; 2];
                self.taken(&node.inputs[0], 1, fits, scale)
            }
            Operation::Elementwise(Elementwise::Activate(activation)) => {
                let finish = |convolution: &mut Convolution| convolution.activation = *activation;
                self.taken(&node.inputs[0], 1, |it| it.activation == Activation::None, finish)
            }
            Operation::Binary(Binary::Add) => self.sum(&node),
            Operation::Binary(Binary::Multiply) => self.hard_swish(&node),
            _ => None,
        }
        .map(|joined| Node { outputs: node.outputs.clone(), ..joined })
        .unwrap_or(node)
    }

    /// Takes the convolution that makes `value` out of the graph and changes it, if it has no other use and `fits`.
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
        // The later of the two adds the earlier one, which is computed by then.
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
        let Operation::Elementwise(Elementwise::HardSigmoid { alpha, beta }) = node.operation else { return None };
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
    /// Whether neither a sum nor an activation follows its bias yet.
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
