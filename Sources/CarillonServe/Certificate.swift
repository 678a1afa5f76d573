#if Service
import CarillonDocuments
import Foundation
import Logging
import NIOCertificateReloading
import NIOSSL

/// The certificate of the service, which is read again when its files change.
struct Certificate {
  let reloader: TimedCertificateReloader

  /// Reads the certificate and the private key.
  ///
  /// - Throws: ``ServeFailure`` if a file is missing or malformed, or the two do not belong
  ///   together.
  init(_ files: Settings.TLS, _ logger: Logger) throws {
    for file in [files.certificate, files.key]
    where !FileManager.default.isReadableFile(atPath: file) {
      throw ServeFailure(
        status: .notFound, message: "\(file) does not exist or cannot be read",
        hint: "give the paths of PEM files: --tls-certificate F --tls-key F")
    }
    do {
      let configuration = TimedCertificateReloader.Configuration(
        refreshInterval: .seconds(5),
        certificateSource: .init(location: .file(path: files.certificate), format: .pem),
        privateKeySource: .init(location: .file(path: files.key), format: .pem)
      ) {
        $0.onCertificateLoadFailed = { failure in
          logger.warning(
            "the files of the certificate cannot be used",
            metadata: ["error": "\(failure.error)"])
        }
      }
      reloader = try .makeReloaderValidatingSources(configuration: configuration)
    } catch {
      throw ServeFailure(
        status: .badData, message: "\(files.certificate) and \(files.key): \(error)",
        hint: "give a certificate and its private key as PEM files")
    }
  }

  /// The configuration of connections.
  var configuration: TLSConfiguration {
    get throws {
      var configuration = try TLSConfiguration.makeServerConfiguration(
        certificateReloader: reloader)
      configuration.minimumTLSVersion = .tlsv12
      configuration.applicationProtocols = ["http/1.1"]
      return configuration
    }
  }
}
#endif
