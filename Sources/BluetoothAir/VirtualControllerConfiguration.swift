// The resources of a virtual controller: buffers, lists, links.

public import NIOCore

/// The resources of a virtual controller.
public struct VirtualControllerConfiguration: Hashable, Sendable {
    /// The longest ACL data packet that it takes from its host, in octets behind the header: 27 to 251.
    public var aclDataPacketLength = 251
    /// How many such packets it buffers: 1 to 255.
    public var aclDataPacketCount = 64
    /// How many links it can have at once: 1 to 1,024.
    public var maximumLinkCount = 128
    /// How many commands a host may send before it waits for an answer: 1 to 255.
    public var commandCredits = 4
    /// The entries of the filter accept list: 1 to 255.
    public var filterAcceptListSize = 64
    /// The entries of the resolving list: 1 to 255, or 0 for a controller that resolves no private addresses.
    public var resolvingListSize = 64
    /// How many advertising sets it has: 1 to 240.
    public var advertisingSetCount = 16

    /// How long HCI_Number_Of_Completed_Packets may wait for another packet to the host that it can travel with, as
    /// long as at most half of the buffers are waited for (Vol 4, Part E, 7.7.19).
    ///
    /// Zero, the default, is at once. With air time this has no effect: there, packets are sent once per connection
    /// event.
    public var completedPacketsDelay = TimeAmount.zero

    /// The resources of a large controller of today.
    public init() {}

    /// The same for a host in another process, which every packet wakes: sent packets are reported as often as by a
    /// chip at a connection interval of 30 ms, a usual one.
    public static var served: VirtualControllerConfiguration {
        var result = VirtualControllerConfiguration()
        result.completedPacketsDelay = .milliseconds(30)
        return result
    }

    /// The same with every number in its range.
    var clamped: VirtualControllerConfiguration {
        func clamp(_ value: Int, _ range: ClosedRange<Int>) -> Int {
            min(max(value, range.lowerBound), range.upperBound)
        }
        var result = self
        result.aclDataPacketLength = clamp(self.aclDataPacketLength, 27...251)
        result.aclDataPacketCount = clamp(self.aclDataPacketCount, 1...255)
        result.maximumLinkCount = clamp(self.maximumLinkCount, 1...1024)
        result.commandCredits = clamp(self.commandCredits, 1...255)
        result.filterAcceptListSize = clamp(self.filterAcceptListSize, 1...255)
        result.resolvingListSize = clamp(self.resolvingListSize, 0...255)
        result.advertisingSetCount = clamp(self.advertisingSetCount, 1...240)
        return result
    }
}
