use super::{Inputs, inputs, length, vector};
use crate::{
    adding::TextOptions,
    manifest::Pool,
    runtime::{Number, Tensor, TensorInfo},
};

fn info(name: &str, number: Number, shape: &[i32]) -> TensorInfo {
    let shape = shape.iter().map(|side| usize::try_from(*side).ok()).collect();
    TensorInfo { name: name.to_owned(), number, shape }
}

fn said() -> TextOptions {
    let (encoder, tokenizer) = ("text.onnx".into(), "tokenizer.json".into());
    TextOptions { encoder, tokenizer, length: None, pad: None, embedding: None, pool: None }
}

#[test]
fn tokens_and_their_mask_are_the_only_inputs() {
    let (tokens, mask) =
        (info("input_ids", Number::Integer, &[-1, 77]), info("attention_mask", Number::Integer, &[1, -1]));
    let found = inputs(&[mask.clone(), tokens.clone()]).unwrap();
    let (name, masked) = ("input_ids".to_owned(), Some("attention_mask".to_owned()));
    assert_eq!(found, Inputs { tokens: name.clone(), mask: masked, fixed: Some(77) });
    assert_eq!(inputs(std::slice::from_ref(&tokens)).unwrap(), Inputs { tokens: name, mask: None, fixed: Some(77) });
    for (others, told) in [
        (
            vec![tokens.clone(), info("pixel_values", Number::Float, &[1, 3, 224, 224])],
            "'pixel_values' [1, 3, 224, 224]",
        ),
        (vec![tokens.clone(), info("position_ids", Number::Integer, &[1, 77])], "has the inputs 'input_ids'"),
        (vec![info("text", Number::Other("Int32".to_owned()), &[1, 77])], "not [1, tokens] of 64-bit integers"),
        (vec![info("input_ids", Number::Integer, &[2, 77])], "not [1, tokens] of 64-bit integers"),
        (vec![mask], "has the inputs 'attention_mask'"),
    ] {
        let fault = inputs(&others).unwrap_err().0;
        assert!(fault.contains(told) && fault.contains("reads text alone"), "{fault}");
    }
}

#[test]
fn the_length_is_that_of_the_file_the_operator_or_the_tokenizer() {
    let of = |fixed, said_length, own| {
        let inputs = Inputs { tokens: "t".to_owned(), mask: None, fixed };
        let said = TextOptions { length: said_length, ..said() };
        length(&inputs, &said, own).map(|found| found.map(|(length, _)| length)).map_err(|fault| fault.0)
    };
    assert_eq!(of(Some(77), None, Some(64)), Ok(Some(77)));
    assert_eq!(of(None, Some(32), Some(64)), Ok(Some(32)));
    assert_eq!(of(None, None, Some(64)), Ok(Some(64)));
    assert_eq!(of(None, None, None), Ok(None));
    assert!(of(Some(77), Some(64), None).unwrap_err().contains("--text-length 64: the text encoder takes 77 tokens"));
}

#[test]
fn the_vector_has_as_many_numbers_as_that_of_a_picture() {
    let outputs = |list: &[(&str, &[usize])]| -> Vec<(String, Tensor)> {
        let tensor = |shape: &[usize]| Tensor { shape: shape.to_vec(), values: vec![0.5; shape.iter().product()] };
        list.iter().map(|(name, shape)| ((*name).to_owned(), tensor(shape))).collect()
    };
    let found = |list: &[(&str, &[usize])], said: &TextOptions| {
        vector(outputs(list), said, 4, 2, &mut Vec::new()).map_err(|fault| fault.0)
    };
    let clip: [(&str, &[usize]); 3] = [("last_hidden_state", &[1, 3, 4]), ("other", &[1, 4]), ("text_embeds", &[1, 4])];
    assert_eq!(found(&clip, &said()), Ok(("text_embeds".to_owned(), Pool::None)));
    assert_eq!(found(&clip[..2], &said()), Ok(("other".to_owned(), Pool::None)));
    assert_eq!(found(&clip[..1], &said()), Ok(("last_hidden_state".to_owned(), Pool::Mean)));
    let last = TextOptions { embedding: Some("last_hidden_state".to_owned()), pool: Some(Pool::Last), ..said() };
    assert_eq!(found(&clip, &last), Ok(("last_hidden_state".to_owned(), Pool::Last)));
    let other: [(&str, &[usize]); 1] = [("text_embeds", &[1, 8])];
    assert!(found(&other, &said()).unwrap_err().contains("is a vector of 4 numbers, as those of pictures are"));
    let named = TextOptions { embedding: Some("text_embeds".to_owned()), ..said() };
    assert!(found(&other, &named).unwrap_err().contains("'text_embeds' has 8 numbers, and a picture has 4"));
}
