// For tools: how the connection to a device is carried, and asking for another way. Core Bluetooth has no calls for it.

package import BluetoothHCI
package import BluetoothHost
import Foundation

extension BluetoothAdapter {
    /// How a connection is carried.
    package struct LinkParameters: Hashable, Sendable {
        /// Interval, latency and supervision timeout.
        package var timing: LinkTiming
        /// The PHYs.
        package var phys: LinkPHYs
        /// The ATT MTU, in octets.
        package var mtu: Int
    }

    /// Reports on the event loop how the connection to the device with an identifier is carried, or why that is not
    /// known. The report waits for the exchange of the ATT MTU with which a connection begins.
    package func readLinkParameters(
        of identifier: UUID,
        _ report: @escaping @Sendable (Result<LinkParameters, LEHostError>) -> Void
    ) {
        self.withCore { core in
            guard let core, let link = core.link(to: identifier) else { return report(.failure(.notConnected)) }
            core.host.readMTU(of: link) { [unowned host = core.host] mtu in
                guard case .success(let mtu) = mtu, let timing = host.timing(of: link) else {
                    return report(.failure(.notConnected))
                }
                host.readPHYs(of: link) { phys in
                    report(phys.map { LinkParameters(timing: timing, phys: $0, mtu: mtu) })
                }
            }
        }
    }

    /// Asks for other PHYs, and reports on the event loop which ones the connection has then.
    package func setPHYs(
        of identifier: UUID,
        to preference: PHYPreference,
        _ report: @escaping @Sendable (Result<LinkPHYs, LEHostError>) -> Void
    ) {
        self.withCore { core in
            guard let core, let link = core.link(to: identifier) else { return report(.failure(.notConnected)) }
            core.host.setPHYs(of: link, to: preference, completion: report)
        }
    }

    /// Asks for another interval, latency and supervision timeout, and reports on the event loop what the connection
    /// has then.
    package func updateConnection(
        to identifier: UUID,
        _ parameters: ConnectionParameters,
        _ report: @escaping @Sendable (Result<LinkTiming, LEHostError>) -> Void
    ) {
        self.withCore { core in
            guard let core, let link = core.link(to: identifier) else { return report(.failure(.notConnected)) }
            core.host.updateConnection(link, to: parameters, completion: report)
        }
    }
}
