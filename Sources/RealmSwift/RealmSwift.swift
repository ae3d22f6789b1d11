/// Lets sources that import RealmSwift compile unchanged.
@_exported public import Atoll
