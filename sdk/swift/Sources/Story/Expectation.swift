import Foundation
import KaisatsuSDK

extension JSONValue {
  /// The value at a path; absent where it leads nowhere or to null.
  func at(_ path: String) -> JSONValue? {
    at(path.isEmpty ? [] : path.split(separator: ".").map(String.init)[...])
  }

  private func at(_ path: ArraySlice<String>) -> JSONValue? {
    guard let first = path.first else { return self == .null ? nil : self }
    let rest = path.dropFirst()
    switch self {
    case .array(let values):
      if first == "*" { return .array(values.compactMap { $0.at(rest) }) }
      if first == "length" { return .number(Double(values.count)) }
      return Int(first).flatMap { self[$0] }?.at(rest)
    case .object: return self[first]?.at(rest)
    default: return nil
    }
  }

  /// The same with `$name` replaced by what was saved.
  func filled(_ saved: [String: JSONValue]) -> JSONValue {
    switch self {
    case .string(let text) where text.hasPrefix("$") && !text.hasPrefix("$$"):
      return saved[String(text.dropFirst())] ?? self
    case .array(let values): return .array(values.map { $0.filled(saved) })
    case .object(let values): return .object(values.mapValues { $0.filled(saved) })
    default: return self
    }
  }
}

/// Compares what is there with what is expected.
enum Expectation {
  static func check(_ expected: [String: JSONValue], _ value: JSONValue, _ saved: [String: JSONValue]) throws {
    for (path, matcher) in expected.sorted(by: { $0.key < $1.key }) {
      let found = value.at(path)
      guard try holds(matcher.filled(saved), found, value) else {
        throw Complaint("\(path) is \(show(found)), expected \(show(matcher)) in \(show(value).prefix(300))")
      }
    }
  }

  private static func holds(_ matcher: JSONValue, _ found: JSONValue?, _ whole: JSONValue) throws -> Bool {
    switch matcher {
    case .string(let text) where text.hasPrefix("$$"): return whole.at(String(text.dropFirst(2))) == found
    case .object(let rules):
      guard let (rule, wanted) = rules.first, rules.count == 1 else { throw Complaint("a matcher has one rule") }
      return try holds(rule, wanted, found)
    case .null: return found == nil
    default: return found == matcher
    }
  }

  private static func holds(_ rule: String, _ wanted: JSONValue, _ found: JSONValue?) throws -> Bool {
    switch (rule, wanted, found) {
    case ("exists", .bool(let exists), _): return (found != nil) == exists
    case ("atLeast", .number(let least), .number(let number)?): return number >= least
    case ("atMost", .number(let most), .number(let number)?): return number <= most
    case ("near", .array(let pair), .number(let number)?):
      guard let centre = pair.first?.double, let tolerance = pair.last?.double else { return false }
      return abs(number - centre) <= tolerance
    case ("contains", .string(let parts), .string(let text)?):
      return parts.split(separator: "|").contains { text.contains($0) }
    case ("includes", _, .array(let values)?): return values.contains(wanted)
    case ("oneOf", .array(let values), _): return values.contains(found ?? .null)
    case ("atLeast", _, _), ("atMost", _, _), ("near", _, _), ("contains", _, _), ("includes", _, _): return false
    default: throw Complaint("there is no matcher \(rule)")
    }
  }

  private static func show(_ value: JSONValue?) -> String {
    guard let value, let data = try? JSONEncoder().encode(value) else { return "absent" }
    return String(decoding: data, as: UTF8.self)
  }
}
