#if Service
import Carillon
import CarillonDocuments
import HTTPTypes
import Hummingbird

/// `POST /v1/rebuild`: rebuilds the projections, and reports the progress as lines of JSON.
///
/// The last line has the result, or a problem. If the client disconnects, the rebuild is given up.
struct RebuildRoutes<Context: RequestContext> {
  let routes: StoreRoutes<Context>

  func add(to group: some RouterMethods<Context>) {
    group.post("rebuild") { request, context in
      try await RequestDocument(request).finish()
      let store = try await routes.source(request, context)
      let stream = try routes.streams.open()
      return Response(
        status: .ok, headers: [.contentType: "application/x-ndjson", .cacheControl: "no-store"],
        body: ResponseBody { writer in
          var out = StreamWriter(writer)
          for try await line in lines(of: store) {
            try await out.append(line.line)
            try await out.flush()
          }
          try await out.finish()
          withExtendedLifetime(stream) {}
        })
    }
  }

  /// Returns the lines of a rebuild, which ends if they are no longer read.
  private func lines(of store: Store) -> AsyncStream<JSON> {
    // The newest progress is enough, and the result is the newest line.
    let (lines, line) = AsyncStream.makeStream(of: JSON.self, bufferingPolicy: .bufferingNewest(1))
    let task = Task {
      do {
        let report = try await store.rebuild {
          line.yield(["done": .integer($0.done), "total": .integer($0.total)])
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
#endif
