#if Service
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// The connection ended before the answer did, in words.
struct ConnectionEnd: Error, CustomStringConvertible {
  let description: String

  init(_ description: String = "the connection was closed before the answer") {
    self.description = description
  }

  /// Creates the end for an error of the connection; nil for any other error.
  init?(_ error: any Error) {
    switch error {
    case let error as ConnectionEnd: self = error
    case let error as IOError: self.init(error.words)
    case let error as HTTPParserError: self.init("it does not speak HTTP: \(error)")
    case NIOSSLError.uncleanShutdown, is ChannelError, is NIOAsyncWriterError: self.init()
    case is NIOSSLError, is BoringSSLError:
      self.init("it does not speak TLS, or no version that this device accepts")
    default: return nil
    }
  }
}

extension IOError {
  /// What the system says about the error.
  var words: String { String(cString: strerror(errnoCode)) }
}
#endif
