// Work that somebody was given to do later: whether it was done, and that nobody keeps what it holds behind its end.

/// Has `schedule` given work that holds an object, and waits until nobody holds that any more or a minute is over.
///
/// - Parameter schedule: Gets the work, and puts it off or calls it off.
/// - Returns: Whether the object was released, and whether the work was done by then.
@MainActor
package func releaseOfWork(
    _ schedule: (_ work: @escaping () -> Void) -> Void
) async -> (isReleased: Bool, isDone: Bool) {
    final class Token {}
    weak var token: Token?
    var isDone = false
    do {
        let kept = Token()
        token = kept
        schedule { withExtendedLifetime(kept) { isDone = true } }
    }
    let deadline = ContinuousClock.now + .seconds(60)
    while token != nil, ContinuousClock.now < deadline { await Task.yield() }
    return (token == nil, isDone)
}
