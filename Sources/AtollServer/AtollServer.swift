// Service: what `atoll serve` runs.
//
// What this layer promises:
//
// - Everything lies in one folder, readable by its owner alone, and one server at a time uses it.
// - Passwords are kept as scrypt hashes; tokens cannot be forged without the key in the folder.
// - Bad input (a folder that is no store, a port in use, a wrong password, a forged token) is a
//   typed error or an HTTP refusal with the action to take; an error in a configuration names its
//   line.
//
// Reading order:
//
// 1. `ServerError`; `System/`: files and locks of the operating system.
// 2. `Store/`: `ServerDirectory`, what lies in the folder.
// 3. `Accounts/`: `AccountStore` keeps users, `PasswordHash` their passwords, `TokenSigner` what
//    they show afterwards, `PasswordGuesses` how often they may try.
// 4. `Configuration/`: `ServerConfiguration`, what a person writes about classes, log-ins and
//    rules; `ConfigurationPrinter`, the one to begin with.
// 5. `Service/`: `ServerResponder` and `OperatorResponder` answer HTTP, `LineLogHandler` writes the
//    log, `CoreInstruments` and `LoginInstruments` count, `SyncService` starts and stops it all.
//
// Without the trait `Sync` the module is empty. The requests are in Format.md, section 11.
