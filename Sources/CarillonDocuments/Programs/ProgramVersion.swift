/// The version of the programs, which are released together.
package enum ProgramVersion {
  package static let current = "0.1.0"
}
