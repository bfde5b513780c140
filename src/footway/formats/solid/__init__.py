"""Files in three dimensions: meshes and voxels become a Volume, or the plan between two heights."""
