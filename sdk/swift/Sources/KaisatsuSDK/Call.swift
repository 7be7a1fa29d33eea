import Foundation

/// One operation with its arguments, before key and address are known.
struct Call: Sendable {
  enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
    case delete = "DELETE"
  }

  enum Body: Sendable {
    case none
    case json(Data)
    case bytes(Picture)
    case form(Form)
  }

  var method: Method
  var path: String
  var query = Query()
  var body = Body.none
  /// Whether a second time does no more than the first, so that a cut connection is no reason to give up.
  var idempotent: Bool
  var progress: UploadProgress?
  /// Whether it goes without a key.
  var open = false
  /// The `Idempotency-Key` of what creates something. All attempts have it, so that the server does the work once.
  var onceKey: String?

  /// The same call as one that creates something, by the caller's key or a random one.
  func once(_ idempotencyKey: String?) -> Call {
    var call = self
    call.onceKey = idempotencyKey ?? UUID().uuidString.lowercased()
    call.idempotent = true
    return call
  }

  static func open(_ path: String) -> Call {
    Call(method: .get, path: path, idempotent: true, open: true)
  }

  static func get(_ path: String, _ query: Query = Query()) -> Call {
    Call(method: .get, path: path, query: query, idempotent: true)
  }

  static func delete(_ path: String, _ query: Query) -> Call {
    Call(method: .delete, path: path, query: query, idempotent: false)
  }

  static func post(
    _ path: String, _ query: Query = Query(), form: Form, idempotent: Bool = false, _ progress: UploadProgress? = nil
  ) -> Call {
    Call(method: .post, path: path, query: query, body: .form(form), idempotent: idempotent, progress: progress)
  }

  static func post(
    _ path: String, _ query: Query = Query(), picture: Picture, _ progress: UploadProgress? = nil
  ) -> Call {
    Call(method: .post, path: path, query: query, body: .bytes(picture), idempotent: false, progress: progress)
  }

  static func post(
    _ path: String, _ query: Query = Query(), json: [String: JSONValue], idempotent: Bool = false
  ) throws(KaisatsuError) -> Call {
    let body = Body.json(try JSONValue.object(json).data())
    return Call(method: .post, path: path, query: query, body: body, idempotent: idempotent)
  }
}

/// The parameters of a query string. Absent values are left out: an empty one would be an invalid one.
struct Query: Sendable {
  private(set) var items: [(name: String, value: String)] = []

  init() {}

  init(token: String) {
    add("token", token)
  }

  mutating func add(_ name: String, _ value: String?) {
    if let value { items.append((name, value)) }
  }

  mutating func add(_ name: String, _ value: Int?) {
    add(name, value.map(String.init))
  }

  /// A whole number is written without a fraction, which older servers do not read.
  mutating func add(_ name: String, number value: Double?) {
    add(name, value.map(Self.plain))
  }

  /// The query string, percent-encoded as UTF-8.
  var encoded: String {
    items.map { "\(Self.escape($0.name))=\(Self.escape($0.value))" }.joined(separator: "&")
  }

  static func plain(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
  }

  /// Only what no part of an address gives a meaning to stays as it is.
  static func escape(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

/// A `multipart/form-data` body.
struct Form: Sendable {
  private enum Part: Sendable {
    case field(String, String)
    case picture(String, Picture)
  }

  private var parts: [Part] = []

  init() {}

  init(image: Picture) {
    add("image", image)
  }

  init(text: String) {
    add("text", text)
  }

  mutating func add(_ name: String, _ value: String?) {
    if let value { parts.append(.field(name, value)) }
  }

  mutating func add(_ name: String, _ value: Int?) {
    add(name, value.map(String.init))
  }

  mutating func add(_ name: String, number value: Double?) {
    add(name, value.map(Query.plain))
  }

  mutating func add(_ name: String, _ picture: Picture) {
    parts.append(.picture(name, picture))
  }

  /// The body and the boundary between its parts.
  func encoded() throws(KaisatsuError) -> (body: Data, boundary: String) {
    let boundary = "kaisatsu-\(UUID().uuidString)"
    var body = Data()
    for part in parts {
      body.append(Data("--\(boundary)\r\n".utf8))
      switch part {
      case .field(let name, let value):
        body.append(Data("Content-Disposition: form-data; name=\"\(Self.quote(name))\"\r\n\r\n".utf8))
        body.append(Data(value.utf8))
      case .picture(let name, let picture):
        let disposition = "form-data; name=\"\(Self.quote(name))\"; filename=\"\(Self.quote(picture.name))\""
        body.append(Data("Content-Disposition: \(disposition)\r\n".utf8))
        body.append(Data("Content-Type: application/octet-stream\r\n\r\n".utf8))
        body.append(try picture.read())
      }
      body.append(Data("\r\n".utf8))
    }
    body.append(Data("--\(boundary)--\r\n".utf8))
    return (body, boundary)
  }

  /// As browsers write it: a quote or a line break must not end the name.
  private static func quote(_ text: String) -> String {
    text.replacingOccurrences(of: "\"", with: "%22").replacingOccurrences(of: "\r", with: "%0D")
      .replacingOccurrences(of: "\n", with: "%0A")
  }
}
