// swift-tools-version: 6.0
// It stands at the root of the repository because SwiftPM takes a package by the address of its repository.

import PackageDescription

let folder = "sdk/swift"

/// The four examples and the app have a target each, so that every line of them is compiled.
func example(_ name: String) -> Target {
  .executableTarget(name: name, dependencies: ["KaisatsuSDK"], path: "\(folder)/examples/\(name)")
}

let package = Package(
  name: "kaisatsu",
  platforms: [.iOS(.v15), .macOS(.v12)],
  products: [.library(name: "KaisatsuSDK", targets: ["KaisatsuSDK"])],
  targets: [
    .target(name: "KaisatsuSDK", path: "\(folder)/Sources/KaisatsuSDK"),
    .executableTarget(name: "Story", dependencies: ["KaisatsuSDK"], path: "\(folder)/Sources/Story"),
    .executableTarget(name: "Bench", dependencies: ["KaisatsuSDK"], path: "\(folder)/Sources/Bench"),
    .testTarget(name: "KaisatsuSDKTests", dependencies: ["KaisatsuSDK"], path: "\(folder)/Tests/KaisatsuSDKTests"),
    example("around_me"),
    example("what_is_this"),
    example("teach"),
    example("correct"),
    example("app"),
  ],
  swiftLanguageModes: [.v6]
)
