// What a virtual controller is made with: its model, and how it reports to its host.

package import NIOCore

/// What a virtual controller is made with.
public struct VirtualControllerConfiguration: Hashable, Sendable {
    /// What kind of controller it is.
    package var model: ControllerModel

    /// How long HCI_Number_Of_Completed_Packets may wait for another packet to the host that it can travel with, as
    /// long as at most half of the buffers are waited for (Vol 4, Part E, 7.7.19).
    ///
    /// Zero, the default, is at once. With air time this has no effect: there, packets are sent once per connection
    /// event.
    package var completedPacketsDelay = TimeAmount.zero

    /// Creates a configuration, unless given that of a large controller of today.
    public init(model: ControllerModel = ControllerModel()) { self.model = model }

    /// The same for a host in another process, which every packet wakes: sent packets are reported as often as by a
    /// chip at a connection interval of 30 ms, a usual one.
    package static var served: VirtualControllerConfiguration {
        var result = VirtualControllerConfiguration()
        result.completedPacketsDelay = .milliseconds(30)
        return result
    }
}
