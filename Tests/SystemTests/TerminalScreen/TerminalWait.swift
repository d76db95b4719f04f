// The wait of a test that is a process of its own.

/// Waits until a condition is met; ends the process, which is a test's own, if that takes a minute.
@MainActor
func terminalWait(for what: String, until isMet: @MainActor () -> Bool) async {
    let deadline = ContinuousClock.now + .seconds(60)
    while !isMet() {
        guard ContinuousClock.now < deadline else { fatalError("waited a minute for \(what)") }
        await Task.yield()
    }
}
