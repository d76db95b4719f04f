// For tools: a connection's parameters, and requests to change them. Core Bluetooth has no calls for this.

package import BluetoothHCI
package import BluetoothHost
import Foundation

extension BluetoothAdapter {
    /// A connection's parameters.
    package struct LinkParameters: Hashable, Sendable {
        /// Interval, latency and supervision timeout.
        package var timing: LinkTiming
        /// The PHYs.
        package var phys: LinkPHYs
        /// The ATT MTU, in octets.
        package var mtu: Int
    }

    /// Reports on the event loop the parameters of the connection to a device, or why they are unknown. The report
    /// waits for the exchange of the ATT MTU at the beginning of a connection.
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

    /// Requests other PHYs, and reports on the event loop those that the connection has then.
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

    /// Requests another interval, latency and supervision timeout, and reports on the event loop those that the
    /// connection has then.
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
