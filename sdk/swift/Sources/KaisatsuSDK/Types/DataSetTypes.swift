import Foundation

/// A token of a user's. Whoever has it, and the application's key, is this user.
public struct UserToken: Sendable, Hashable, Codable {
  /// The secret.
  public let token: String
  /// Until when it is good.
  public let expiresAt: Date
}

/// An image for a dataset.
public struct TaggedImage: Sendable, Hashable {
  private enum Source: Hashable {
    case stored(String)
    case url(String)
  }

  private let source: Source
  private let tag: String?

  /// An image of the user's storage area; the tag may be left out when the image has one.
  public static func stored(_ imageId: String, tag: String? = nil) -> TaggedImage {
    TaggedImage(source: .stored(imageId), tag: tag)
  }

  /// An image at an address that is open to everybody.
  public static func at(_ url: String, tag: String) -> TaggedImage {
    TaggedImage(source: .url(url), tag: tag)
  }

  var json: JSONValue {
    var fields: [String: JSONValue] = [:]
    switch source {
    case .stored(let imageId): fields["imageId"] = .string(imageId)
    case .url(let url): fields["url"] = .string(url)
    }
    if let tag { fields["tag"] = .string(tag) }
    return .object(fields)
  }
}

/// What changes in a dataset. What is left out stays as it is.
public struct DataSetChanges: Sendable, Hashable {
  /// What the user calls it from now on.
  public var name: String?
  /// Images to add.
  public var add: [TaggedImage]
  /// Images of the dataset to remove, by id.
  public var remove: [String]
  /// Images of the dataset that get another tag: the tags by the ids of the images.
  public var retag: [String: String]
  /// Tags to rename, one after the other.
  public var renameTags: [TagRename]
  /// Images of the dataset, by id, whose tag is right, so that its health does not list them as mislabelled any more.
  public var confirm: [String]

  /// Changes.
  public init(
    name: String? = nil, add: [TaggedImage] = [], remove: [String] = [], retag: [String: String] = [:],
    renameTags: [TagRename] = [], confirm: [String] = []
  ) {
    self.name = name
    self.add = add
    self.remove = remove
    self.retag = retag
    self.renameTags = renameTags
    self.confirm = confirm
  }

  var json: [String: JSONValue] {
    var fields: [String: JSONValue] = [:]
    if let name { fields["name"] = .string(name) }
    let lists = [
      "add": add.map(\.json), "remove": remove.map(JSONValue.string), "confirm": confirm.map(JSONValue.string),
      "retag": retag.map { .object(["imageId": .string($0.key), "tag": .string($0.value)]) },
      "renameTags": renameTags.map { .object(["from": .string($0.from), "to": .string($0.to)]) },
    ]
    for (name, values) in lists where !values.isEmpty { fields[name] = .array(values) }
    return fields
  }
}

/// A tag that gets another name. One that exists already takes the images in, so that two tags can be merged.
public struct TagRename: Sendable, Hashable {
  /// A tag of the dataset.
  public var from: String
  /// What it is called from now on.
  public var to: String

  /// A tag that gets another name.
  public init(from: String, to: String) {
    self.from = from
    self.to = to
  }
}

/// What a dataset is doing. A server can have states that this SDK does not know.
public struct DataSetState: RawRepresentable, Sendable, Hashable, Codable {
  /// The wire's word.
  public let rawValue: String

  /// Any state.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Waiting to be built.
  public static let queued = DataSetState(rawValue: "queued")
  /// Being built.
  public static let building = DataSetState(rawValue: "building")
  /// Can be asked.
  public static let ready = DataSetState(rawValue: "ready")
  /// Could not be built.
  public static let failed = DataSetState(rawValue: "failed")
}

/// A dataset that will be built.
public struct CreatedDataSet: Sendable, Hashable, Codable {
  /// What names it from now on.
  public let dataSetId: String
  /// What it is doing.
  public let state: DataSetState
  /// What it will not be able to do.
  public let warnings: [DataSetWarning]?
}

/// Something that a dataset cannot do.
public struct DataSetWarning: Sendable, Hashable, Codable {
  /// Such as `oneTag`.
  public let code: String
  /// The same in words.
  public let message: String
}

/// A dataset.
public struct DataSet: Sendable, Hashable, Codable {
  /// What names it.
  public let dataSetId: String
  /// What the user calls it.
  public let name: String
  /// What it is doing.
  public let state: DataSetState
  /// Since when.
  public let since: Date
  /// When it was created.
  public let createdAt: Date
  /// The model that its images are looked at with.
  public let model: String
  /// How many images came to what.
  public let progress: DataSetProgress
  /// Why it failed.
  public let reason: String?
  /// What it cannot do.
  public let warnings: [DataSetWarning]?
  /// The number of the version that answers; absent for a dataset that was never changed.
  public let version: Int?
  /// The version that is being built, or that failed; absent when there is none.
  public let update: DataSetUpdate?
  /// How good it is, once it is ready; not in lists.
  public let health: JSONValue?
  /// Some of its images, in the order in which they were named; not in lists.
  public let images: [DataSetImage]?
  /// What asks for the images that follow; absent when none do.
  public let nextCursor: String?
}

/// A version of a dataset that does not answer yet.
public struct DataSetUpdate: Sendable, Hashable, Codable {
  /// What it is doing.
  public let state: DataSetState
  /// How many images came to what.
  public let progress: DataSetProgress
  /// Why it failed.
  public let reason: String?
}

/// How many images of a dataset came to what.
public struct DataSetProgress: Sendable, Hashable, Codable {
  /// All images.
  public let total: Int
  /// Those that came to something, good or bad.
  public let done: Int
  /// Still to be looked at.
  public let pending: Int
  /// In the dataset.
  public let fetched: Int
  /// Too many bytes or pixels.
  public let tooLarge: Int
  /// Not an image that the server reads.
  public let notAnImage: Int
  /// Nothing there.
  public let notFound: Int
  /// Not there in time.
  public let timedOut: Int
  /// Not an address that may be fetched.
  public let denied: Int
  /// More bytes than the user may have.
  public let overQuota: Int
  /// Anything else.
  public let failed: Int
}

/// What became of an image of a dataset.
public struct DataSetImage: Sendable, Hashable, Codable {
  /// What names it.
  public let imageId: String
  /// Where it comes from; empty for an image of the storage area.
  public let url: String
  /// What it shows.
  public let tag: String
  /// `fetched`, `pending`, or what was wrong.
  public let outcome: String
  /// What was wrong, in words; empty when nothing was.
  public let detail: String
  /// Present and true if it was deleted from the storage area since. The dataset goes on recognising with it.
  public let deleted: Bool?
  /// The user's name for it in the storage area, such as a file name.
  public let name: String?
}

/// An image that was stored.
public struct UploadedImage: Sendable, Hashable, Codable {
  /// What names it from now on.
  public let imageId: String
  /// The SHA-256 of its bytes.
  public let sha256: String
  /// Pixels from left to right.
  public let width: Int
  /// Pixels from top to bottom.
  public let height: Int
  /// The tag that is kept: of the same bytes uploaded again, the first one stays.
  public let tag: String?
  /// The name that is kept, as the tag is.
  public let name: String?
}

/// An image of the user's storage area.
public struct StoredImage: Sendable, Hashable, Codable {
  /// What names it.
  public let imageId: String
  /// The SHA-256 of its bytes.
  public let sha256: String
  /// How many bytes it has.
  public let bytes: Int
  /// Pixels from left to right.
  public let width: Int
  /// Pixels from top to bottom.
  public let height: Int
  /// What it shows; empty when nobody has said.
  public let tag: String
  /// What the user calls it; empty when nobody has said.
  public let name: String
  /// When it came.
  public let createdAt: Date
}
