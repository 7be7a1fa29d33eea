import Foundation

/// Any JSON, for the parts of an answer that an operator fills as he likes.
public enum JSONValue: Sendable, Hashable, Codable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number.
  case number(Double)
  /// A text.
  case string(String)
  /// A list.
  case array([JSONValue])
  /// Values by name.
  case object([String: JSONValue])

  /// Reads any JSON.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// Writes it as it was read.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }

  /// The value of that name, where this is an object that has one.
  public subscript(name: String) -> JSONValue? {
    if case .object(let values) = self { return values[name] }
    return nil
  }

  /// The element of that number, where this is a list that has one.
  public subscript(index: Int) -> JSONValue? {
    if case .array(let values) = self, values.indices.contains(index) { return values[index] }
    return nil
  }

  /// The text, where this is one.
  public var text: String? {
    if case .string(let value) = self { return value }
    return nil
  }

  /// The number, where this is one.
  public var double: Double? {
    if case .number(let value) = self { return value }
    return nil
  }

  func data() throws(KaisatsuError) -> Data {
    do {
      return try JSONEncoder().encode(self)
    } catch {
      throw .invalidInput(message: "the arguments cannot be written as JSON")
    }
  }
}
