#if Service
import CarillonAccess
import CarillonDocuments
import CarillonLog
import CarillonModel
import Foundation
import Logging
import NIOCertificateReloading
import NIOSSL

/// The certificate of the service, which is read again when its files change.
struct Certificate {
  let reloader: TimedCertificateReloader
  /// The path of the certificate.
  let file: String
  /// The certificate at the start.
  private let certificate: NIOSSLCertificate

  /// Reads the certificate and the private key.
  ///
  /// - Parameter onKey: Called with the pin of the key, now and when the files have changed.
  /// - Throws: ``ServeFailure`` if a file is missing or malformed, or the two do not belong
  ///   together.
  init(
    _ files: ServerSettings.TLS, _ logger: Logger, onKey: @escaping @Sendable (String) -> Void
  ) throws {
    file = files.certificate
    certificate = try Self.certificate(files)
    var configuration = TimedCertificateReloader.Configuration(
      refreshInterval: .seconds(5),
      certificateSource: .init(
        location: .memory { try Self.contents(of: files.certificate) }, format: .pem),
      privateKeySource: .init(location: .memory { try Self.contents(of: files.key) }, format: .pem))
    do {
      // At the start, a failure is the error below, and no warning.
      _ = try TimedCertificateReloader.makeReloaderValidatingSources(configuration: configuration)
      configuration.onCertificateLoadFailed = { _ in
        logger.warning(
          "the files of the certificate cannot be used",
          metadata: ["error": "\(Self.problem(of: files).message)"])
      }
      configuration.onCertificateLoaded = { change in
        guard case .certificate(let loaded)? = change.currentCertificateChain.first else { return }
        do {
          onKey(try loaded.keyPin)
        } catch {
          logger.warning(
            "the key of the certificate cannot be read",
            metadata: ["certificate": "\(files.certificate)", "error": "\(error)"])
        }
      }
      reloader = try .makeReloaderValidatingSources(configuration: configuration)
    } catch {
      throw Self.problem(of: files)
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

  /// Whether the certificate is for a name or an IP address.
  func covers(_ host: HostName) -> Bool {
    certificate._subjectAlternativeNames().contains { name in
      let content = name.contents.withUnsafeBufferPointer { Array($0) }
      switch name.nameType {
      case .ipAddress: return content == host.address
      case .dnsName:
        return host.address == nil && host.isCovered(by: String(decoding: content, as: UTF8.self))
      default: return false
      }
    }
  }

  // MARK: -

  /// Reads both files, so that an error names the one that is wrong.
  private static func certificate(
    _ files: ServerSettings.TLS
  ) throws(ServeFailure) -> NIOSSLCertificate {
    let (certificate, key) = (try contents(of: files.certificate), try contents(of: files.key))
    guard let first = read({ try NIOSSLCertificate.fromPEMBytes(certificate) })?.first else {
      throw ServeFailure(
        status: .badData, message: "\(files.certificate) has no certificate in PEM form",
        hint: "give a file that begins with -----BEGIN CERTIFICATE-----")
    }
    guard read({ try NIOSSLPrivateKey(bytes: key, format: .pem) }) != nil else {
      throw ServeFailure(
        status: .badData,
        message: "\(files.key) has no private key in PEM form, or it is encrypted",
        hint: "give a file that begins with -----BEGIN PRIVATE KEY-----")
    }
    return first
  }

  /// Returns what is wrong with files that cannot be used.
  private static func problem(of files: ServerSettings.TLS) -> ServeFailure {
    do throws(ServeFailure) {
      _ = try certificate(files)
    } catch {
      return error
    }
    return ServeFailure(
      status: .badData,
      message: "the private key in \(files.key) does not belong to the certificate in "
        + "\(files.certificate), or is of a kind that is not supported",
      hint: "give the key for which the certificate was made")
  }

  /// Reads a file, but not a pipe, which would wait for its writer.
  private static func contents(of file: String) throws(ServeFailure) -> [UInt8] {
    let hint = "give the paths of PEM files that can be read: --tls-certificate F --tls-key F"
    guard access(file, R_OK) == 0 else { throw .unreadable(file, errno, hint: hint) }
    do throws(LogError) {
      let slice = try FileSlice(path: file)
      return try slice.read(Int(slice.byteCount))
    } catch {
      throw ServeFailure(status: .badData, message: error.message, hint: hint)
    }
  }

  /// Returns the result of a parser of OpenSSL, whose errors say nothing about the file.
  private static func read<Result>(_ parse: () throws -> Result) -> Result? {
    do { return try parse() } catch { return nil }
  }
}

extension NIOSSLCertificate {
  /// The pin of the certificate's key.
  fileprivate var keyPin: String {
    get throws { KeyPin.text(ofPublicKey: try extractPublicKey().toSPKIBytes()) }
  }
}
#endif
