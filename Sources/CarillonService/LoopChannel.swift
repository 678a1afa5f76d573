#if Service
package import HummingbirdCore
package import Logging
package import NIOCore

/// A connection whose requests are answered on its event loop.
///
/// Otherwise each request goes to a thread of Swift's pool, and its answer back, which costs more
/// than most answers. Routes that compute for long leave the loop; see ``OffEventLoop``.
package struct LoopChannel: ServerChildChannel {
  private let base: HTTP1Channel

  package init(_ base: HTTP1Channel) {
    self.base = base
  }

  package func setup(
    channel: any Channel, logger: Logger
  ) -> EventLoopFuture<HTTP1Channel.Value> {
    base.setup(channel: channel, logger: logger)
  }

  package func handle(value: HTTP1Channel.Value, logger: Logger) async {
    await withTaskExecutorPreference(LoopExecutor(value.channel.eventLoop)) {
      await base.handle(value: value, logger: logger)
    }
  }
}

/// Runs tasks on an event loop.
private final class LoopExecutor: TaskExecutor {
  private let loop: any EventLoop

  init(_ loop: any EventLoop) {
    self.loop = loop
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
#endif
