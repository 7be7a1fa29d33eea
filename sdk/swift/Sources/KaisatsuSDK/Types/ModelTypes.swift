import Foundation

/// The models of one task.
public struct TaskModels: Sendable, Hashable, Codable {
  /// What they do, such as `categoryRecognition`.
  public let task: String
  /// The models; empty when the server has none for this task.
  public let models: [Model]
}

/// A model.
public struct Model: Sendable, Hashable, Codable {
  /// What `modelName` takes.
  public let name: String
  /// What people call it.
  public let title: String
  /// What it knows and what it does not.
  public let description: String?
  /// The licence of its weights.
  public let licence: String
  /// The package that its weights come from, and its version.
  public let source: String
  /// Whether it can be used now.
  public let usable: Bool
  /// Whether it is in memory; one that is not is loaded when it is asked for.
  public let loaded: Bool
  /// The size of its input.
  public let input: InputSize?
  /// How many tags it can answer with.
  public let tags: Int?
  /// The languages that its tags have names in.
  public let languages: [String]?
  /// Present and true if it has a text encoder: similar images can be searched for by a text with its vectors.
  public let text: Bool?
}

/// The size of a network's input, in pixels.
public struct InputSize: Sendable, Hashable, Codable {
  /// From left to right.
  public let width: Int
  /// From top to bottom.
  public let height: Int
}

/// Some tags of a model.
public struct Tags: Sendable, Hashable, Codable {
  /// How many were found.
  public let max: Int
  /// The number of the first one here, from 1.
  public let offset: Int
  /// The tags.
  public let tags: [Tag]
}

/// A tag that a model can answer with.
public struct Tag: Sendable, Hashable, Codable {
  /// What identifies it.
  public let tagId: String
  /// Its name in the language that was asked for, or in the model's first one.
  public let tag: String
  /// Its names by language.
  public let names: [String: String]
}

/// How often a candidate was right in one stretch of time.
public struct FeedbackTotal: Sendable, Hashable, Codable {
  /// `classify`, `detect`, `similar` or `recognize`.
  public let task: String
  /// The model, dataset or collection.
  public let model: String
  /// What the candidate stands for: a class, a tag, an image, an item.
  public let subject: String
  /// When the stretch of time begins.
  public let from: Date
  /// How often it was right.
  public let valid: Int
  /// How often it was not.
  public let invalid: Int
  /// The share that was right, 0 to 1.
  public let precision: Double
}

/// A recognition and what moved its scores.
public struct Explanation: Sendable, Hashable, Codable {
  /// What was asked for.
  public let task: String
  /// The model, dataset or collection that answered.
  public let model: String
  /// When.
  public let recognisedAt: Date
  /// The candidates in the order of the answer.
  public let candidates: [ExplainedCandidate]
}

/// A candidate and what moved it.
public struct ExplainedCandidate: Sendable, Hashable, Codable {
  /// What feedback refers to.
  public let itemId: String
  /// What it stands for.
  public let subject: String
  /// What people read.
  public let name: String
  /// The score of the answer.
  public let score: Double
  /// What the score would have been without feedback.
  public let baseScore: Double
  /// The verdicts that moved it, the weightiest first.
  public let movedBy: [Verdict]
}

/// A verdict that moved a candidate.
public struct Verdict: Sendable, Hashable, Codable {
  /// What it says.
  public let isValid: Bool
  /// How far it moved the candidate.
  public let by: Double
  /// The recognition that it was given on; absent for verdicts that other applications agree on.
  public let recognitionId: String?
  /// The candidate that it was given on, where candidates are remembered one by one.
  public let itemId: String?
}
