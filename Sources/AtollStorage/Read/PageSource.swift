/// What the pages of all versions of a file are read through.
///
/// Every reader lane has one of its own: counting the references to one object from all threads
/// would make them wait for each other's caches at every snapshot.
final class PageSource: Sendable {
  let slots: HeaderSlots
  let cache: DecodedCache
  let verified: VerifiedPages
  /// What encrypts the file; nil when it is not encrypted.
  let cipher: PageCipher?

  init(
    slots: HeaderSlots, cache: DecodedCache, verified: VerifiedPages, cipher: PageCipher?
  ) {
    self.slots = slots
    self.cache = cache
    self.verified = verified
    self.cipher = cipher
  }

  var file: any DataFile { slots.file }
}
