#if Service
package import Hummingbird

/// The page of the service at `/`, and its files below `/page`.
///
/// They hold no data of the store, so they need no session.
package struct PageRoutes {
  package init() {}

  /// Adds the routes.
  package func add(to router: some RouterMethods<some RequestContext>) {
    for file in PageFiles.all {
      let path: RouterPath = file.path == "index.html" ? "/" : "page/\(file.path)"
      router.get(path) { request, _ in file.response(to: request) }
    }
  }
}
#endif
