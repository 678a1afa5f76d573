#if Service
import Carillon
import CarillonDocuments
import HTTPTypes
import Hummingbird

extension StoreRouter {
  /// Adds `POST /v1/rebuild`: rebuilds the projections, and reports the progress as lines of JSON.
  ///
  /// The last line has the result, or a problem. If the client disconnects, the rebuild is given
  /// up.
  func addRebuild() {
    on(.post, "rebuild") { [streams = routes.streams, rebuilds = routes.rebuilds] asked in
      try await asked.document().finish()
      let stream = try streams.open(for: asked.credential)
      return Response(
        status: .ok, headers: [.contentType: "application/x-ndjson", .cacheControl: "no-store"],
        body: ResponseBody { writer in
          var out = StreamWriter(writer)
          for try await line in Self.lines(of: asked.store, rebuilds) {
            try await out.append(line.line)
            try await out.flush()
          }
          try await out.finish()
          withExtendedLifetime(stream) {}
        })
    }
  }

  /// Returns the lines of a rebuild, which ends if they are no longer read.
  private static func lines(of store: Store, _ rebuilds: Rebuilds) -> AsyncStream<JSON> {
    // The newest progress is enough, and the result is the newest line.
    let (lines, line) = AsyncStream.makeStream(of: JSON.self, bufferingPolicy: .bufferingNewest(1))
    let task = Task {
      defer { rebuilds.note(nil, of: store) }
      do {
        let report = try await store.rebuild {
          rebuilds.note($0, of: store)
          line.yield($0.json)
        }
        line.yield(report.json)
      } catch {
        line.yield(["error": Problem(error).document])
      }
      line.finish()
    }
    line.onTermination = { _ in task.cancel() }
    return lines
  }
}

extension RebuildProgress {
  var json: JSON { ["done": .integer(done), "total": .integer(total)] }
}
#endif
