//! What can go wrong with a recognition, in words for the caller; causes of ours are for the log.

use std::time::Duration;

use kaisatsu_model::Phase;
use kaisatsu_store::{BlobError, StoreError};
use kaisatsu_vision::DecodeError;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum RecognitionError {
    /// The image cannot be decoded.
    #[error("{0}")]
    Image(#[from] DecodeError),
    /// There is no model of that name for this task.
    #[error("there is no model '{asked}' for this operation; there is {}{}", listed(known), how_to_teach(asked))]
    NoSuchModel {
        /// What was asked for.
        asked: String,
        /// What there is.
        known: Vec<String>,
    },
    /// There is no collection of that name.
    #[error("there is no collection '{0}'")]
    NoSuchCollection(String),
    /// A collection has no image of that id.
    #[error("the collection has no such image; imageId is what it was added with")]
    NotInCollection,
    /// A collection has vectors of another model.
    #[error("body field modelName must be '{model}' or absent: collection '{collection}' has vectors of that model")]
    OtherModel {
        /// The collection.
        collection: String,
        /// Its model.
        model: String,
    },
    /// There is no such item in the catalogue.
    #[error("there is no such item in the catalogue")]
    NoSuchItem,
    /// An image or an item has no thumbnail, or there is none.
    #[error(
        "there is no such thumbnail: no such image or item, or one that was added without a picture or before \
             thumbnails were kept"
    )]
    NoThumbnail,
    /// A field of an item is missing or invalid.
    #[error("body field {0}")]
    BadItem(String),
    /// An item has neither a picture nor a barcode.
    #[error("body field image or barcode is missing: there is neither a picture nor a barcode to know the item by")]
    NothingToKnowItBy,
    /// One of several images of an item cannot be decoded.
    #[error("image {0}: {1}")]
    ItemImage(usize, DecodeError),
    /// The user has no such image.
    #[error("there is no such image of this user; imageId is what uploadImage answered with")]
    NoSuchImage,
    /// The user has no such dataset.
    #[error("there is no such dataset of this user; dataSetId is what createDataSet answered with")]
    NoSuchDataset,
    /// The user gave several datasets the name that one was asked for by.
    #[error("dataSetId is the name of several datasets of this user; use what createDataSet answered with")]
    AmbiguousName,
    /// A dataset that is found by its name must be the only one.
    #[error("body field name is that of another dataset of this user; delete that one first, or choose another name")]
    NameTaken,
    /// There is nothing to make a dataset of.
    #[error("body field from: the storage area has no image with a tag; uploadImage takes one as tag or label")]
    NothingTagged,
    /// The storage area has more images than a dataset may have.
    #[error("body field from: the storage area has more images than a dataset may have, which is {0}")]
    TooManyStored(usize),
    /// An image that a dataset is to be made of is not in the user's storage area.
    #[error("{field}[{at}].imageId is not an image of this user's storage area")]
    NoStoredImage {
        /// The list that names it.
        field: &'static str,
        /// Its place there.
        at: usize,
    },
    /// An image that a dataset is to be made of has no tag.
    #[error("{field}[{at}].tag is missing, and the image has none in the storage area")]
    NoTag {
        /// The list that names it.
        field: &'static str,
        /// Its place there.
        at: usize,
    },
    /// A dataset to be changed has no such image.
    #[error("the dataset has no image '{0}'; getDataSet lists the images that it has")]
    NotInDataset(String),
    /// A dataset to be changed has no such tag.
    #[error("no image of the dataset has the tag '{0}'")]
    NoSuchTag(String),
    /// An image is to be removed from a dataset and to be kept in it.
    #[error("image '{0}' is in remove, and in retag or confirm as well; it can only be in one of them")]
    RemovedAndKept(String),
    /// A dataset would have more images than allowed.
    #[error("the dataset would have more than {0} images, which is the most; remove some")]
    DatasetTooLarge(u32),
    /// A dataset would have no image.
    #[error("no image would be left in the dataset; deleteDataSet deletes it")]
    NoImageLeft,
    /// A dataset has not been changed.
    #[error("there is nothing to undo: the dataset has not been changed")]
    NothingToUndo,
    /// The images of a dataset have too many tags.
    #[error("body field images has too many tags, those of stored images among them: a dataset may have {0}")]
    TooManyTags(usize),
    /// The server may fetch none of a dataset's addresses.
    #[error("none of the images can be fetched; images[{index}].url: {reason}")]
    AllDenied {
        /// The position of the first of them.
        index: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// An address cannot be read.
    #[error("images[{index}].url is not valid: {reason}")]
    BadAddress {
        /// Its position.
        index: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The user has reached the limit of images.
    #[error("the storage area is full: a user may have {0} images; delete some with deleteImage, then upload again")]
    ImagesFull(u32),
    /// The user has reached the limit of bytes.
    #[error(
        "the user's space is used up: images and datasets may have {0} bytes together; delete images with deleteImage, \
         or datasets with deleteDataSet"
    )]
    BytesFull(u64),
    /// The user has reached the limit of datasets.
    #[error("the user's datasets are used up: a user may have {0}; delete one with deleteDataSet")]
    DatasetsFull(u32),
    /// The same bytes are being removed at this moment.
    #[error("the same image is just being removed; try again shortly")]
    Busy,
    /// The dataset is not built yet.
    #[error("the dataset is {}: its images are still being looked at; getDataSet says how far it is", .0.as_str())]
    NotBuilt(Phase),
    /// The dataset could not be built.
    #[error("dataSetId names a dataset that could not be built ({0}); delete it and create another")]
    BuildFailed(String),
    /// The dataset has a single tag: there is nothing to tell apart.
    #[error("dataSetId names a dataset with a single tag; to classify with it, it needs two or more")]
    OneTag,
    /// The model of a collection or a dataset makes vectors of images alone.
    #[error(
        "text cannot be searched for here: the vectors are those of model '{0}', which has no text encoder; the server's \
         operator adds a model that has one with `kaisatsu models add --text-encoder FILE --tokenizer FILE`"
    )]
    NoTextEncoder(String),
    /// The tokenizer of a model has no token for a text.
    #[error("text has no word or character that the tokenizer of model '{0}' knows")]
    NoTokens(String),
    /// A tag was named for a recognition whose candidates are not tags.
    #[error(
        "body field tag goes with an answer of concept/classify; rate a candidate of this recognition by its itemId"
    )]
    NoTagsHere,
    /// A model has no tag of that name.
    #[error(
        "body field tag: model '{model}' has no tag '{tag}'; models/{model}/tags lists its tags, with text=… only those \
         that contain a text"
    )]
    UnknownTag {
        /// What was named.
        tag: String,
        /// The model.
        model: String,
    },
    /// A dataset has no tag of that name.
    #[error("body field tag: the dataset has no tag '{0}'; getDataSet lists its images with their tags")]
    UnknownDatasetTag(String),
    /// Several tags of a model have that name.
    #[error("body field tag: '{tag}' is the name of several tags; give the tagId of one: {}", listed(ids))]
    AmbiguousTag {
        /// What was named.
        tag: String,
        /// The ids of the tags.
        ids: Vec<String>,
    },
    /// A candidate was rated, and another tag named with it.
    #[error(
        "body field tag is '{tag}', and the candidate is '{candidate}'; leave one of them out: feedback with a tag and \
         without itemId says what the image shows"
    )]
    OtherTag {
        /// What was named.
        tag: String,
        /// The name of the candidate.
        candidate: String,
    },
    /// A tag was rated wrong that was neither answered nor confirmed before.
    #[error("body field tag: '{0}' was not answered, so there is nothing to reject; a tag goes with isValid=true")]
    NotAnswered(String),
    /// The storage for images failed.
    #[error("{0}")]
    Blobs(#[from] BlobError),
    /// The model is installed and cannot be used. The reason is for the operator.
    #[error("model '{model}' {fault}; the server's operator finds more in its log")]
    Unusable {
        /// The model.
        model: String,
        /// What is wrong with it, in a few words for the caller.
        fault: &'static str,
        /// Why, with files and causes.
        reason: String,
    },
    /// The models are still being loaded.
    #[error("the models are being loaded; try again shortly")]
    Warming,
    /// The server stops, and does not look at images any more.
    #[error("the server is stopping; try again shortly")]
    Stopping,
    /// The queue in front of the engine is full.
    #[error("the server has all the pictures it can look at; try again shortly")]
    Overloaded {
        /// When it is worth trying again.
        wait: Duration,
    },
    /// The database failed, or has no such row.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// The server failed.
    #[error("the recognition failed: {0}")]
    Failed(String),
}

/// A model that is not in the models folder.
pub(crate) const NOT_INSTALLED: &str = "is not installed on this server";
/// A model whose files are missing or damaged, or that the runtime refuses.
pub(crate) const NOT_LOADED: &str = "is damaged, or cannot be loaded on this server";
/// A model whose vectors are not those that a collection or dataset was made with.
pub(crate) const OTHER_VECTORS: &str = "has other weights now than this was made with";

/// How an operator gets a model that clients ask for and no package registry has.
pub(crate) fn how_to_teach(model: &str) -> String {
    match model {
        "landmark" => "; the server's operator teaches it from photographs of sights: `kaisatsu models teach landmark \
                       FOLDER --instances`"
            .to_owned(),
        "fashion_color" | "fashion_style" | "fashion_pattern" => {
            format!(
                "; the server's operator teaches it from labelled photographs: `kaisatsu models teach {model} FOLDER`"
            )
        }
        _ => String::new(),
    }
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
