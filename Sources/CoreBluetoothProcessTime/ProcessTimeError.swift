// The error of a world in process time.

/// Why a world cannot control the time of the process, and what to do.
public struct ProcessTimeError: Error, Equatable, CustomStringConvertible {
    /// One line that says what is wrong and what to do, then a line for each thread that is awake.
    public let description: String

    init(_ description: String) { self.description = description }
}
