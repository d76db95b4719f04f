// The states of a host.

/// Where a host stands with its controller.
public enum LEHostState: Hashable, Sendable {
    /// No controller.
    case detached
    /// The controller is being reset and asked what it can do.
    case starting
    /// Ready for work.
    case ready
    /// The controller failed or went away; one line says why.
    case failed(String)
    /// The controller has no Bluetooth LE and never will; one line says so.
    case unsupported(String)
}
