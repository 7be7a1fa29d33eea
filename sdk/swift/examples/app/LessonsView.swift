#if canImport(SwiftUI)
  import KaisatsuSDK
  import SwiftUI

  /// The state of the screen.
  @MainActor
  final class LessonsModel: ObservableObject {
    @Published var tag = ""
    @Published var message = "Choose a picture, and say what it shows."
    private let lessons: Lessons
    private var dataSetId: String?

    init(lessons: Lessons) {
      self.lessons = lessons
    }

    func show(_ file: URL) {
      run { [tag] in
        try await self.lessons.show(Picture(file: file), of: tag)
        return "I have seen it."
      }
    }

    func learn() {
      run {
        self.dataSetId = try await self.lessons.learn(name: "lessons") { now in
          Task { @MainActor in self.message = "\(now.progress.done) of \(now.progress.total)" }
        }
        return "I know them."
      }
    }

    func ask(_ file: URL) {
      guard let dataSetId else { return message = "Teach me first." }
      run {
        let answer = try await self.lessons.ask(Picture(file: file), dataSetId: dataSetId)
        return "It is \(answer?.tag ?? "nothing that I know")."
      }
    }

    private func run(_ action: @escaping @MainActor () async throws -> String) {
      Task {
        do {
          message = try await action()
        } catch {
          message = error.localizedDescription
        }
      }
    }
  }

  /// The screen: what a picture shows, and three buttons.
  struct LessonsView: View {
    @StateObject var model: LessonsModel
    @State private var choosing = false
    @State private var asking = false

    var body: some View {
      VStack(spacing: 16) {
        TextField("What it shows", text: $model.tag)
        Button("Show a picture") { (asking, choosing) = (false, true) }.disabled(model.tag.isEmpty)
        Button("Learn") { model.learn() }
        Button("What is this?") { (asking, choosing) = (true, true) }
        Text(model.message)
      }
      .padding()
      .fileImporter(isPresented: $choosing, allowedContentTypes: [.image]) { result in
        guard let file = try? result.get() else { return }
        if asking { model.ask(file) } else { model.show(file) }
      }
    }
  }
#endif
