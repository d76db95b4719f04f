// The configuration of a virtual controller: its model, and how it reports to its host.

package import NIOCore

extension VirtualController {
    /// The configuration with which a virtual controller is made.
    public struct Configuration: Hashable, Sendable {
        /// The kind of controller.
        package var model: ControllerModel

        /// The time for which HCI_Number_Of_Completed_Packets may wait for another packet to the host that it can
        /// travel with, as long as at most half of the buffers are waited for (Vol 4, Part E, 7.7.19).
        ///
        /// Zero, the default, is at once. With air time this has no effect: there, packets are sent once per connection
        /// event.
        package var completedPacketsDelay = TimeAmount.zero

        /// Creates a configuration, by default that of a large controller of today.
        public init(model: ControllerModel = ControllerModel()) { self.model = model }

        /// The same for a host in another process, which every packet wakes: sent packets are reported as often as by a
        /// chip at a connection interval of 30 ms, a usual one.
        package static var served: Self {
            var result = Self()
            result.completedPacketsDelay = .milliseconds(30)
            return result
        }
    }
}
