import Foundation
import KaisatsuSDK

/// What the driver of the story says in its environment.
struct Environment: Sendable {
  let cases: URL
  let pictures: URL
  let server: URL
  let proxy: URL
  let control: URL
  let keys: [String: String]
  let keyPlacement: KeyPlacement

  init() throws {
    func value(_ name: String) throws -> String {
      guard let value = ProcessInfo.processInfo.environment[name] else {
        throw Complaint("\(name) is not set: run this by sdk/cases/run")
      }
      return value
    }
    func url(_ name: String) throws -> URL {
      guard let url = URL(string: try value(name)) else { throw Complaint("\(name) is not an address") }
      return url
    }
    cases = URL(fileURLWithPath: try value("KAISATSU_CASES"))
    pictures = URL(fileURLWithPath: try value("KAISATSU_PICTURES"))
    server = try url("KAISATSU_URL")
    proxy = try url("KAISATSU_PROXY")
    control = try url("KAISATSU_PROXY_CONTROL")
    keys = [
      "standard": try value("KAISATSU_KEY"), "restricted": try value("KAISATSU_RESTRICTED_KEY"),
      "operator": try value("KAISATSU_OPERATOR_KEY"), "wrong": "ksk_wrong",
    ]
    keyPlacement = try value("KAISATSU_KEY_IN") == "query" ? .query : .header
  }
}

/// A sentence about what is wrong with the story or its surroundings.
struct Complaint: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
