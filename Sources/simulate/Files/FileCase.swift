internal import TestSupport

/// One damaged file, whose damage its number decides.
struct FileCase {
  let number: UInt64
  let sample: SampleFile
  var planted: PlantedCaseBug?

  /// - Returns: a flag for each column of `FilesCommand.kind`.
  /// - Throws: `FileViolation` for what no damaged file may do.
  func run() throws -> [Bool] {
    var random = SplitMix64(seed: number)
    var bytes = sample.bytes
    let isSealed = Bool.random(using: &random) || planted == .unverifiedPage
    if isSealed {
      bytes = SealedDamage.apply(to: sample.image, &random) ?? bytes
    } else {
      RawDamage.apply(to: &bytes, &random)
    }
    let trial = FileTrial(
      sample: sample, bytes: bytes,
      // A library that ignores checksums takes sealed and other damage alike.
      isStrict: !isSealed || planted == .unverifiedPage, isSalvagedAnyway: number % 4 == 0)
    return [isSealed] + (try trial.run().flags)
  }
}
