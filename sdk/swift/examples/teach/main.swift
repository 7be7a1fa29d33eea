// Teaches three things by the pictures of a folder, disc-1.png and so on, and asks about another picture.

import Foundation
import KaisatsuSDK

let environment = ProcessInfo.processInfo.environment
let folder = URL(fileURLWithPath: CommandLine.arguments[1])
func picture(_ name: String) -> Picture { Picture(file: folder.appendingPathComponent(name)) }

// On your server. An app has a restricted key, and gets the token of its user from your server: see examples/app.
let kaisatsu = KaisatsuServer(key: environment["KAISATSU_KEY"]!, address: URL(string: environment["KAISATSU_URL"]!)!)
let token = try await kaisatsu.datasets.getToken(userId: "alice").token

var images: [TaggedImage] = []
for tag in ["disc", "stripes", "checks"] {
  for number in 1...4 {
    let stored = try await kaisatsu.images.upload(picture("\(tag)-\(number).png"), tag: tag, token: token)
    images.append(.stored(stored.imageId, tag: tag))
  }
}
let dataSet = try await kaisatsu.datasets.create(name: "shapes", images: images, token: token)
for try await now in kaisatsu.datasets.progress(of: dataSet.dataSetId, token: token) {
  print("\(now.state.rawValue): \(now.progress.done) of \(now.progress.total)")
}

let answer = try await kaisatsu.recognition.classify(
  picture("stripes-5.png"), dataSetId: dataSet.dataSetId, token: token)
print("It is \(answer.candidates.first?.tag ?? "nothing of these")")
try await kaisatsu.datasets.delete(dataSet.dataSetId, token: token)
