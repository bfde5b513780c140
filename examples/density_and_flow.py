"""Density and flow at a bottleneck: a run of Footway, measured with PedPy."""

from importlib.util import find_spec
from pathlib import Path

import footway as fw
from footway import plot
from footway.recording.jupedsim import save_jupedsim

HALL = [(1, 1), (9, 1), (9, 11), (1, 11)]
EXIT = [(21, 1), (25, 1), (25, 11), (21, 11)]


def walk_through_a_door(width: float, file: Path) -> None:
    """Let 80 people walk from one hall to another, through a passage 2 m long."""
    low, high = 6 - width / 2, 6 + width / 2
    env = fw.Environment.from_polygons(
        [
            [(0, 0), (12, 0), (12, 12), (0, 12)],
            [(12, low), (14, low), (14, high), (12, high)],
            [(14, 0), (26, 0), (26, 12), (14, 12)],
        ],
        name=f"a passage {width:g} m wide",
    )
    cmap = fw.CorridorMap.build(env)
    crowd = fw.Crowd(cmap, seed=4)
    crowd.add(80, area=HALL, destinations=[EXIT], then="exit", radius=0.2, speed=(1.34, 0.26))
    recording = crowd.run(seconds=75, every=2)
    print(f"{env.name}: {crowd.exited} of 80 people arrived")
    save_jupedsim(recording, file, environment=env)
    figure = plot.draw_density(cmap, recording, environment=env)
    plot.save_picture(figure, file.with_suffix(".png"))


def measure(file: Path) -> None:
    """Print the density before the passage, and the flow through it."""
    import pedpy

    trajectory = pedpy.load_trajectory_from_jupedsim_sqlite(trajectory_file=file)
    walkable = pedpy.load_walkable_area_from_jupedsim_sqlite(trajectory_file=file)
    before = pedpy.MeasurementArea([(9.5, 4.5), (12, 4.5), (12, 7.5), (9.5, 7.5)])
    middle = pedpy.MeasurementLine([(13, 0), (13, 12)])

    classic = pedpy.compute_classic_density(traj_data=trajectory, measurement_area=before)
    cells = pedpy.compute_individual_voronoi_polygons(
        traj_data=trajectory, walkable_area=walkable, cut_off=pedpy.Cutoff(radius=1.0)
    )
    voronoi, _ = pedpy.compute_voronoi_density(
        individual_voronoi_data=cells, measurement_area=before
    )
    _, crossings = pedpy.compute_n_t(traj_data=trajectory, measurement_line=middle)
    seconds = (crossings.frame.max() - crossings.frame.min()) / trajectory.frame_rate

    most = f"{classic.density.max():.2f} at most ({voronoi.density.max():.2f} by Voronoi cells)"
    print(f"  density before it: {classic.density.mean():.2f} per m2 on average, {most}")
    print(f"  flow: {(len(crossings) - 1) / seconds:.2f} per second, for {seconds:.1f} s")


if find_spec("pedpy") is None:
    print("PedPy is not installed; `pip install pedpy`, and run this again")
else:
    out = Path("out")
    out.mkdir(exist_ok=True)
    for width in (1.2, 2.4):
        file = out / f"passage_{width:g}.sqlite"
        walk_through_a_door(width, file)
        measure(file)
        print(f"  wrote {file} and {file.with_suffix('.png')}")
