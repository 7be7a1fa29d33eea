//! Which values lie channel by channel. What is fed does, where a convolution takes it as it lies; what has few
//! channels stays so, because blocks of sixteen channels would be mostly empty.

use std::collections::HashSet;

use crate::graph::{Graph, Node, Operation};

/// Up to so many channels are few: half a block.
pub(crate) const FEW: usize = 8;

/// The inputs of a network, and the values that are made of them and lie channel by channel as well.
pub(crate) fn in_planes(graph: &Graph) -> HashSet<String> {
    let mut names: HashSet<String> = graph.inputs.iter().cloned().collect();
    for node in &graph.nodes {
        let (Some(input), Some(output)) = (node.inputs.first(), node.outputs.first()) else { continue };
        if names.contains(input) && node.keeps_planes() && graph.all_take_planes(output) {
            names.insert(output.clone());
        }
    }
    names
}

impl Graph {
    /// Whether all that is done with a value can be done channel by channel.
    fn all_take_planes(&self, name: &String) -> bool {
        let mut uses = self.nodes.iter().filter(|node| node.inputs.contains(name));
        !self.outputs.contains(name) && uses.all(|node| node.takes_planes(name))
    }
}

impl Node {
    fn takes_planes(&self, name: &String) -> bool {
        let first_only = self.inputs.first() == Some(name) && !self.inputs[1..].contains(name);
        let takes = match &self.operation {
            Operation::Convolve(it) => it.groups == 1 && it.channels[1] <= FEW,
            Operation::Standardise { .. } | Operation::Pool { .. } | Operation::Gather { .. } => true,
            _ => false,
        };
        first_only && takes
    }

    fn keeps_planes(&self) -> bool {
        match &self.operation {
            Operation::Convolve(it) => it.groups == 1 && it.channels[0] <= FEW && it.channels[1] <= FEW && !it.adds,
            Operation::Standardise { .. } | Operation::Pool { .. } => true,
            _ => false,
        }
    }
}
