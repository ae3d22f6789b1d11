/// What the pages of all versions of a file are read through.
///
/// Every reader lane has one of its own: counting the references to one object from all threads would
/// make them wait for each other's caches at every snapshot.
final class PageSource: Sendable {
  let file: any DataFile
  let cache: DecodedCache
  let verified: VerifiedPages

  init(file: any DataFile, cache: DecodedCache, verified: VerifiedPages) {
    self.file = file
    self.cache = cache
    self.verified = verified
  }
}
