// Signals about a terminal (another size, continuing after a stop), on the main thread.

import Dispatch

/// Calls `body` on the main thread at each signal, until the source is cancelled.
@MainActor
func signalSource(_ number: CInt, _ body: @escaping @MainActor () -> Void) -> any DispatchSourceProtocol {
    let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
    source.setEventHandler { MainActor.assumeIsolated { body() } }
    source.resume()
    return source
}
