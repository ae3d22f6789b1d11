internal import TestSupport

/// One damaged file, whose damage its number decides.
struct FileCase {
  let number: UInt64
  let sample: SampleFile

  /// The flags are for the columns of `FilesCommand.kind`.
  ///
  /// - Throws: `CaseViolation` for what no damaged file may do.
  func run() throws -> CaseOutcome {
    var random = SplitMix64(seed: number)
    var bytes = sample.bytes
    let isSealed = Bool.random(using: &random)
    if isSealed {
      bytes = SealedDamage.apply(to: sample.image, &random) ?? bytes
    } else {
      RawDamage.apply(to: &bytes, &random)
    }
    let trial = FileTrial(
      sample: sample, bytes: bytes, isStrict: !isSealed, isSalvagedAnyway: number % 4 == 0)
    return CaseOutcome(
      flags: [isSealed] + (try trial.run().flags), inputByteCount: bytes.count)
  }
}
